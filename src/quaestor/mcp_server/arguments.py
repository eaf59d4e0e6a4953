"""What the tools take, as types: each bounded, none takes a field that it does not name.

Owns the schemas that assistants are shown. What a value means is for `application` to say.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quaestor.application.exporting import ExportFormat
from quaestor.application.graph_query import MOST_ROWS
from quaestor.application.named_values import MOST_VALUES, NamedValue
from quaestor.application.number_check import LONGEST as LONGEST_CHECKED
from quaestor.application.number_check import MOST_MATCHES
from quaestor.graph.guard import LONGEST as LONGEST_QUERY
from quaestor.plan.expressions import LONGEST as LONGEST_FORMULA

_LONGEST_WORDS = 500
_LONGEST_NAME = 1_000
_LONGEST_QUESTION = 2_000
"""Characters of a question; more of them than a person writes cost more time than an answer is worth."""

DocumentName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_NAME,
        description="A document by its name, as read_document without a document lists them; of a file of several "
        "pages FILE#PAGE.",
    ),
]
ConversationId = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{22}$", description="The id of a conversation, as ask gave it.")
]
Words = Annotated[str, Field(min_length=1, max_length=_LONGEST_WORDS)]


class _Arguments(BaseModel):
    # What checks them is built with the first call of their tool.
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class _AboutDocument(_Arguments):
    """About a document, or the one of a conversation, with the numbers that hold in it."""

    document: DocumentName | None = None
    conversation: ConversationId | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "_AboutDocument":
        if (self.document is None) == (self.conversation is None):
            raise ValueError("give either document or conversation")
        return self


class ReadDocumentArguments(_Arguments):
    """What of a document is to be read; nothing to list the documents."""

    document: DocumentName | None = None
    part: Annotated[int | None, Field(ge=1, description="A part of its text, from 1; `parts` says how many.")] = None
    table: Annotated[int | None, Field(ge=0, description="A table with all its cells, from 0.")] = None


class FindArguments(_AboutDocument):
    """What is looked for."""

    words: Annotated[
        str, Field(min_length=1, max_length=_LONGEST_QUESTION, description="A question, or words that stand there.")
    ]
    most: Annotated[int, Field(ge=1, le=20, description="How many places at most.")] = 5


class AskArguments(_AboutDocument):
    """A question about a document, which begins a conversation, or the next one of a conversation."""

    question: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_LONGEST_QUESTION,
            description="As a person puts it; it may refer to earlier answers of the conversation.",
        ),
    ]
    solver: Annotated[
        str | None,
        Field(max_length=80, description="Who answers from now on; by default as the server was started."),
    ] = None


class QueryGraphArguments(_Arguments):
    """A query."""

    document: DocumentName
    sparql: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_QUERY,
            description="SELECT or ASK; the prefixes kg: and doc: are known. "
            "SELECT ?o ?value WHERE { ?o kg:rowLabel ?row ; kg:value ?value }",
        ),
    ]
    most: Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many rows at most; more are refused.")] = MOST_ROWS


class CalculateArguments(_Arguments):
    """A formula over named values, or a plan in words that answers a question."""

    document: DocumentName | None = None
    conversation: ConversationId | None = None
    formula: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=LONGEST_FORMULA,
            description="Names of values, numbers, + - * / **, one < or >, abs min max sum avg, parentheses: "
            "(sales_2024 - sales_2023) / sales_2023",
        ),
    ] = None
    values: Annotated[
        dict[
            Annotated[str, Field(min_length=1, max_length=80)],
            NamedValue,
        ],
        Field(
            max_length=MOST_VALUES,
            description="What each name of the formula stands for: a cell {row, column, table}, a number of the text "
            "{words}, an earlier answer {turn}, a number that is given {number}.",
        ),
    ] = Field(default_factory=dict)
    plan: Annotated[
        dict[str, object] | None, Field(description="A plan as the prompt write_plan asks for it, as JSON.")
    ] = None
    question: Annotated[
        str | None,
        Field(min_length=1, max_length=_LONGEST_QUESTION, description="Of a plan the question that it answers."),
    ] = None

    @model_validator(mode="after")
    def _fit(self) -> "CalculateArguments":
        if (self.formula is None) == (self.plan is None):
            raise ValueError("give either formula or plan")
        if self.document is not None and self.conversation is not None:
            raise ValueError("give either document or conversation")
        if self.plan is not None and self.question is None:
            raise ValueError("a plan needs the question that it answers")
        if self.plan is not None and self.document is None and self.conversation is None:
            raise ValueError("a plan needs the document or the conversation that it is about")
        return self


class ExplainArguments(_Arguments):
    """An answer of a conversation."""

    conversation: ConversationId
    turn: Annotated[int, Field(ge=-1_000, le=1_000, description="From 1; -1 is the last.")] = -1


class CheckNumberArguments(_AboutDocument):
    """A number that is claimed."""

    number: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_CHECKED,
            description="As a table or a text prints it: 5,300 or $ 5.3 million or (435) or 14.1 %.",
        ),
    ]
    most: Annotated[int, Field(ge=1, le=MOST_MATCHES, description="How many places at most.")] = 10


class ExportArguments(_Arguments):
    """A conversation as a file."""

    conversation: ConversationId
    format: ExportFormat
    file: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=120,
            description="The name of a new file in the folder for exports; without it the file is returned.",
        ),
    ] = None
