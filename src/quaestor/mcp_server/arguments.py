"""What the tools take, as types: each bounded, none takes a field that it does not name.

What a value means is for `application` to say.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quaestor.application.exporting import ExportFormat
from quaestor.application.graph_query import MOST_ROWS
from quaestor.application.named_values import MOST_VALUES, NamedValue
from quaestor.application.number_check import LONGEST as LONGEST_CHECKED
from quaestor.application.number_check import MOST_MATCHES
from quaestor.evaluation.checked_questions import MAX_QUESTION
from quaestor.graph.guard import LONGEST as LONGEST_QUERY
from quaestor.plan.expressions import LONGEST as LONGEST_FORMULA

_LONGEST_WORDS = 500
_LONGEST_NAME = 1_000

DocumentName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_NAME,
        description="The name of a document, as listed by read_document without arguments; for a page of a file, "
        "pages FILE#PAGE.",
    ),
]
ConversationId = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{22}$", description="The id of a conversation, as returned by ask.")
]
Words = Annotated[str, Field(min_length=1, max_length=_LONGEST_WORDS)]


class _Arguments(BaseModel):
    # What checks them is built with the first call of their tool.
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class _AboutDocument(_Arguments):
    """A document, or that of a conversation with its corrections."""

    document: DocumentName | None = None
    conversation: ConversationId | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "_AboutDocument":
        if (self.document is None) == (self.conversation is None):
            raise ValueError("give either `document` or `conversation`")
        return self


class ReadDocumentArguments(_Arguments):
    """A document to read; omit it to list all documents."""

    document: DocumentName | None = None
    part: Annotated[int | None, Field(ge=1, description="The part of its text to return, from 1 to `parts`.")] = None
    table: Annotated[
        int | None, Field(ge=0, description="The index of the table to return with all its cells, from 0.")
    ] = None


class FindArguments(_AboutDocument):
    """The text to find."""

    words: Annotated[
        str, Field(min_length=1, max_length=MAX_QUESTION, description="A question, or words of the document.")
    ]
    most: Annotated[int, Field(ge=1, le=20, description="The maximum number of places.")] = 5


class AskArguments(_AboutDocument):
    """A question about a document, which starts a conversation, or the next question of a conversation."""

    question: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUESTION,
            description="The question; it can refer to earlier answers of the conversation.",
        ),
    ]
    solver: Annotated[
        str | None,
        Field(max_length=80, description="The solver to use from now on; by default that of the server."),
    ] = None


class QueryGraphArguments(_Arguments):
    """A query."""

    document: DocumentName
    sparql: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_QUERY,
            description="A SELECT or ASK query; the prefixes kg: and doc: are predefined. "
            "SELECT ?o ?value WHERE { ?o kg:rowLabel ?row ; kg:value ?value }",
        ),
    ]
    most: Annotated[
        int, Field(ge=1, le=MOST_ROWS, description="The maximum number of rows; a query with more is rejected.")
    ] = MOST_ROWS


class CalculateArguments(_Arguments):
    """A formula over named values, or a plan that answers a question."""

    document: DocumentName | None = None
    conversation: ConversationId | None = None
    formula: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=LONGEST_FORMULA,
            description="Names, numbers, + - * / **, one < or >, abs min max sum avg, parentheses: "
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
            description="The value of each name in the formula: a cell {row, column, table}, a number in the text "
            "{words}, an earlier answer {turn}, or a given number {number}.",
        ),
    ] = Field(default_factory=dict)
    plan: Annotated[
        dict[str, object] | None, Field(description="A plan as JSON, in the format of the prompt write_plan.")
    ] = None
    question: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_QUESTION, description="The question that the plan answers."),
    ] = None

    @model_validator(mode="after")
    def _fit(self) -> "CalculateArguments":
        if (self.formula is None) == (self.plan is None):
            raise ValueError("give either `formula` or `plan`")
        if self.document is not None and self.conversation is not None:
            raise ValueError("give either `document` or `conversation`")
        if self.plan is not None and self.question is None:
            raise ValueError("`plan` requires `question`")
        if self.plan is not None and self.document is None and self.conversation is None:
            raise ValueError("`plan` requires `document` or `conversation`")
        return self


class ExplainArguments(_Arguments):
    """An answer of a conversation."""

    conversation: ConversationId
    turn: Annotated[
        int, Field(ge=-1_000, le=1_000, description="The number of the answer, from 1; -1 is the last.")
    ] = -1


class CheckNumberArguments(_AboutDocument):
    """A number to check."""

    number: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_CHECKED,
            description="The number as printed: 5,300 or $ 5.3 million or (435) or 14.1 %.",
        ),
    ]
    most: Annotated[int, Field(ge=1, le=MOST_MATCHES, description="The maximum number of places.")] = 10


class ExportArguments(_Arguments):
    """A conversation as a file."""

    conversation: ConversationId
    format: ExportFormat
    file: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=120,
            description="The name of a new file in the export folder; if omitted, the content is returned.",
        ),
    ] = None
