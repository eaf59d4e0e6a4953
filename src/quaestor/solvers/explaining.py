"""Sentences of a model's explanation, bound to steps of a plan and to passages.

A model writes `{#3}` for the number of step 3, `[#3]` to cite a step, `["words"]` to cite a passage by copied words,
`[p2]` to cite a passage by its name. This module defines the notation, what cannot be bound (a sentence with a number
without source, without any source, or with an unknown reference), and how often the faults are returned to the model.
All solvers that ask a model use `Explainer`. The values of steps are filled in when the plan is executed.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator

from quaestor.core.answer_value import YesNo
from quaestor.core.explanation import (
    LONGEST_SENTENCE,
    MOST_SENTENCES,
    steps_referred,
    unbound_numbers,
    without_references,
)
from quaestor.core.parsing import find_quantities
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.words import NUMBER_WORDS
from quaestor.documents.document import Document, Sentence
from quaestor.errors import ModelReplyError
from quaestor.plan.scales import needs_no_source
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref, Step, replace_references
from quaestor.plan.validate import MOST_STEPS
from quaestor.questions.question import Question
from quaestor.questions.question_parts import asks_several
from quaestor.solvers.answering import NumberSilence, asks_beyond_numbers, assumed_words
from quaestor.solvers.base import TurnContext
from quaestor.solvers.quoting import QuoteFailure, number_in_place, quote, quote_sentence

_SCALES = r"(?:thousand|million|billion|trillion)s?|mn|bn"
_NAMED = lazy_regex(
    r"\b(?:(?:FY\s?)?((?:19|20)\d\d)|[QH][1-4]|FY\s?\d\d|[A-Za-z]{2,12}-\d{1,3}|\d{1,2}-[A-Z]"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d{1,2}"
    r"|(?:Notes?|Items?|Levels?|IFRS|IAS|ASC|Topic|Part|Phase|Tier|Section|Form|Class|Series)\s\d{1,3})\b",
    re.IGNORECASE,
)
"""Digits that are not amounts: years, quarters, days, and names."""
_FILLED = lazy_regex(
    rf"(?:[$€£¥]\s?|\b(?:USD|EUR|GBP)\s)?\{{\s?#\s?(-?[0-9]{{1,4}})\s?\}}"
    rf"(?:\s?%|\s(?:(?:percent|per cent)\b|(?:{_SCALES})\b(?:\s(?:dollars|euros|USD|EUR)\b)?)"
    r"|(?:[kmbKMBT]|mm|mn|bn|tn|MM|mln|bln)\b)?"
)
"""A number to fill in; its sign, scale and percent sign are printed when it is filled in."""
_CITED = lazy_regex(r"[\[(]((?:\s?,?\s?#\s?-?[0-9]{1,4})+)\s?[\])]")
_QUOTED = lazy_regex(r"\[\s?(?:\"(.{1,500}?)\"|'(.{1,500}?)'|“(.{1,500}?)”)\s?\]", re.DOTALL)
_IN_MARKS = lazy_regex(r"[\"“]([^\"“”]{4,300})[\"”]")
_STEP = lazy_regex(r"-?[0-9]+")
_LEFT_OVER = lazy_regex(r"[{}]|[\[(]\s?#")
_RUN_ON = lazy_regex(
    r"(?:(?<![^\s(\[\"'\u201c$\u20ac\u00a3\u00a5])[-\u2212\u2010-\u2015]|\{#\d+\}(?:[.,'\u2019]|\s*))[$\u20ac\u00a3\u00a5]?\{#\d+\}"
)
"""Text that would change a filled-in number: a minus before it, or two numbers without a gap."""
_PRINTED = lazy_regex(r"\{#(\d+)\}|\[#(\d+)\]")
_PRINTED_CITATION = lazy_regex(r" ?\[#\d+\]")
_END = lazy_regex(r"(?<=[.!?])\s+(?=[A-Z\"“{])|(?<=[.!?][\"”)])\s+(?=[A-Z\"“{])")
_ABBREVIATION = lazy_regex(r"(?:^|[\s.(])(?:[A-Za-z]|Inc|Corp|Co|Ltd|Nos?|vs|approx|St|Mr|Ms|Dr)\.$")
_MOST_TEXTS = 2 * MOST_SENTENCES
_FAULTS_SHOWN = 3
_NUMBER_OF_STEP = "{#3} where the number of step 3 goes"
_PASSAGES = lazy_regex(r"\[\s?([\w.-]+(?:\s?,\s?[\w.-]+)*)\s?\]")
_TO_EXPLAIN = lazy_regex(
    r"\b(?:why|how come|because|expla(?:in|nation)\w*|describ\w+|summari[sz]e\w*|reasons?|drivers?|drives?|drove|driven"
    r"|cause[sd]?|led to|behind|tell (?:me|us)(?: more)? about)\b"
    r"|^(?:(?:and|so|but|then)\s)*how\s(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b(?! much| many)"
)
_TO_JUDGE = lazy_regex(
    r"^(?:(?:and|so|but|then)\s)*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b"
)
WrittenSentences = Annotated[list[str] | None, BeforeValidator(lambda one: [one] if isinstance(one, str) else one)]
"""An explanation as written by a model."""
WrittenVerdict = Literal["yes", "no"] | None
"""A yes or no stated by passages, as written by a model."""
NOTHING_BOUND = "no sentence of the model's explanation rests on the page"
"""Why there is no answer if the answer was to be an explanation and no sentence of it can be shown."""
_HIDDEN = "\x00"
_HIDING = lazy_regex(f"{_HIDDEN}([0-9]+){_HIDDEN}")
_CITED_BEHIND = lazy_regex(f"([.!?])\\s*((?:{_HIDING.pattern.replace('(', '(?:')}\\s*)+)")


@dataclass(frozen=True, slots=True)
class BoundExplanation:
    """Sentences with the steps that they refer to.

    Attributes:
        steps: The steps of the turn, followed by those that the sentences add: passages and earlier answers.
    """

    steps: tuple[Step, ...]
    templates: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def passages(self) -> tuple[Extract, ...]:
        """The cited passages."""
        named = [self.steps[step - 1] for template in self.templates for step in steps_referred(template)]
        return tuple(dict.fromkeys(step for step in named if isinstance(step, Extract) and step.quantity is None))

    def plan(self, answer: Plan) -> Plan:
        """Join the steps that the sentences and an answer need, without duplicates; the answer's result comes last.

        If the plan of the answer is empty, the sentences are the answer.
        """
        if not self.templates:
            return answer
        shift = len(self.steps)
        steps = [*self.steps, *((_renumber(step, lambda ref: ref + shift)) for step in answer.steps)]
        step_numbers: dict[Step, int] = {}

        def key(step: Step) -> Step:
            return replace(_renumber(step, take), id=0)

        def take(number: int) -> int:
            return step_numbers.setdefault(key(steps[number - 1]), len(step_numbers) + 1)

        last = key(steps[-1]) if answer.steps else None
        named = dict.fromkeys(step for template in self.templates for step in steps_referred(template))
        others = {step: take(step) for step in named if key(steps[step - 1]) != last}
        if last is None:
            last = Compute(0, "explain", tuple(map(Ref, dict.fromkeys(others.values()))))
        elif last in step_numbers:
            last = Compute(0, "identity", (Ref(step_numbers[last]),))
        step_numbers[last] = len(step_numbers) + 1
        numbers = {step: others.get(step, len(step_numbers)) for step in named}

        def renumbered(found: re.Match[str]) -> str:
            filled, cited = found.groups()
            return f"{{#{numbers[int(filled)]}}}" if filled else f"[#{numbers[int(cited)]}]"

        templates = (_PRINTED.sub(renumbered, template) for template in self.templates)
        joined = tuple(replace(step, id=number) for step, number in step_numbers.items())
        return Plan(joined, answer.thought, tuple(templates))


def has_reference(text: str) -> bool:
    """Return whether a text refers to a step or cites a passage.

    >>> has_reference("It rose {#3}."), has_reference("It rose.")
    (True, False)
    """
    return any(pattern.search(text) for pattern in (_FILLED, _CITED, _QUOTED))


def bind_sentences(
    texts: Sequence[str],
    steps: Sequence[Step],
    earlier: frozenset[int],
    document: Document,
    question: str,
    passages: Mapping[str, Sentence] = MappingProxyType({}),
    notation: str = _NUMBER_OF_STEP,
) -> BoundExplanation:
    """Bind the sentences of a model to steps and passages, and collect the faults of those that cannot be bound.

    Args:
        earlier: The earlier turns with an answer, as negative step numbers: -1 is the last turn.
    """
    binder = _Binder(list(steps), len(steps), earlier, document, question, passages, notation)
    sentences = list(_split(_whole(text[: LONGEST_SENTENCE * MOST_SENTENCES]) for text in texts[:_MOST_TEXTS]))
    templates, faults = [], []
    for place, sentence in enumerate(sentences, 1):
        try:
            if place > MOST_SENTENCES:
                raise ModelReplyError(f"is one too many; give at most {MOST_SENTENCES}")
            templates.append(binder.bind(sentence))
        except ModelReplyError as fault:
            faults.append(f"sentence {place} {fault}")
    return BoundExplanation(tuple(binder.steps), tuple(templates), tuple(faults))


def stated_by(passages: Sequence[Extract], verdict: YesNo) -> Plan:
    """Return the plan of a yes or no that is stated by passages."""
    steps = tuple(replace(passage, id=place) for place, passage in enumerate(passages, 1))
    reading = "affirms" if verdict.value else "denies"
    return Plan((*steps, Compute(len(steps) + 1, reading, tuple(Ref(step.id) for step in steps))))


def asks_to_explain(question: Question) -> bool:
    """Return whether a question asks for an explanation or description in sentences.

    >>> asks_to_explain(Question("why did sales fall?")), asks_to_explain(Question("how much were sales?"))
    (True, False)
    """
    return _TO_EXPLAIN.search(question.lowered) is not None


def may_be_explained(question: Question, context: TurnContext) -> bool:
    """Return whether the model may explain: the question asks for it, or for a judgement on a long document."""
    return asks_to_explain(question) or (context.is_long and _TO_JUDGE.search(question.lowered) is not None)


@dataclass(slots=True)
class AnswerKinds:
    """The kinds of answers offered to a model; for a question that asks for a number, only numbers at first."""

    all: bool = False
    explained: bool = False

    @classmethod
    def of(cls, question: Question, context: TurnContext) -> "AnswerKinds":
        """Return the kinds that a question asks for."""
        explained = may_be_explained(question, context)
        return cls(explained or asks_beyond_numbers(question), explained)

    def faults(self, silence: NumberSilence | None) -> tuple[str, ...]:
        """Return the faults of a model's reason for giving no answer."""
        wrong = self.all and silence == "other"
        return ("no_answer cannot be 'other', because every kind of answer is allowed",) if wrong else ()

    def widen(self, silence: NumberSilence | None) -> bool:
        """Allow every kind if a model limited to numbers replies that the answer is not one; return whether it does."""
        if self.all or silence != "other":
            return False
        self.all = self.explained = True
        return True


def passage_name(place: int, _sentence: Sentence) -> str:
    """Return the name by which a model cites a sentence, from its position in the document, counted from 1."""
    return f"p{place}"


def passage_names(document: Document) -> Mapping[tuple[str, int], str]:
    """Return the names of the sentences of a document by section and index."""
    return {(s.section, s.index): passage_name(place, s) for place, s in enumerate(document.sentences, 1)}


def named_passages(document: Document, name: Callable[[int, Sentence], str] = passage_name) -> Mapping[str, Sentence]:
    """Return the sentences of a document by name."""
    return {name(place, sentence): sentence for place, sentence in enumerate(document.sentences, 1)}


@dataclass(slots=True)
class Explainer:
    """Explanation of one turn: binds it to steps, returns its faults to the model once, and adds it to the plan.

    Attributes:
        name: Returns the name of a sentence in prompts, given its position from 1 and the sentence.
    """

    context: TurnContext
    notation: str = _NUMBER_OF_STEP
    name: Callable[[int, Sentence], str] = passage_name
    bound: BoundExplanation = field(init=False, default=BoundExplanation(()))
    _has_shown_faults: bool = field(init=False, default=False)

    def bind(self, sentences: Sequence[str] | None, steps: Sequence[Step]) -> Sequence[str]:
        """Bind sentences to steps; return faults for the model, at most once a turn."""
        history, document = self.context.memory.registers, self.context.document
        earlier = frozenset(step for step in range(-len(history), 0) if history[step] is not None)
        question = self.context.question.text
        passages = named_passages(document, self.name)
        self.bound = bind_sentences(sentences or (), steps, earlier, document, question, passages, self.notation)
        if self._has_shown_faults or not self.bound.faults:
            return ()
        self._has_shown_faults = True
        return (f"the explanation cannot be shown: {'; '.join(self.bound.faults[:_FAULTS_SHOWN])}",)

    def settle(self, answer: Plan, verdict: WrittenVerdict = None) -> Plan:
        """Return the plan of an answer with its explanation; it has no steps if nothing remains."""
        question, passages = self.context.question, self.bound.passages
        asks_more = _TO_JUDGE.search(question.lowered) is not None or asks_several(question.text)
        if verdict is not None and passages:
            answer = replace(stated_by(passages, YesNo(verdict == "yes")), thought=answer.thought)
        elif self.bound.templates and asks_to_explain(question) and not asks_more:
            answer = replace(answer, steps=())
        plan = self.bound.plan(answer)
        while self.bound.templates and len(plan.steps) > MOST_STEPS:
            fault = f"sentence {len(self.bound.templates)} needs more than {MOST_STEPS} steps"
            self.bound = replace(self.bound, templates=self.bound.templates[:-1], faults=(*self.bound.faults, fault))
            plan = self.bound.plan(answer)
        return plan

    def remarks(self, plan: Plan, known: Iterable[str] = ()) -> tuple[str, ...]:
        """Return remarks for the reader on a plan and its explanation: omitted sentences and assumptions."""
        found = [number for number in _guesses(plan, self.context) if not any(number in one for one in known)]
        assumed = [assumed_words(found)] if found else []
        return (*(f"left out: {fault}" for fault in self.bound.faults), *assumed)


def _guesses(plan: Plan, context: TurnContext) -> tuple[str, ...]:
    """Return the numbers of a plan found neither in the page nor in a question; small ones only if explained."""
    named = {step for template in plan.explanation for step in steps_referred(template)}
    questions = " ; ".join((*context.memory.questions, context.question.text))
    question_numbers = {n for span in find_quantities(questions) for n in (span.quantity.value, span.quantity.number)}
    found = [
        operand.text.removeprefix("const_")
        for step in plan.computes
        for operand in step.operands
        if isinstance(operand, Constant)
        and operand.value not in question_numbers
        and (
            not (needs_no_source(operand.number) or is_root(step, operand))
            or (step.id in named and len(step.operands) == 1)
            or (named and _makes_an_amount(plan, step, operand))
        )
    ]
    return tuple(dict.fromkeys(found))


def is_root(step: Compute, exponent: Constant) -> bool:
    """Return whether a number is the exponent of growth over years, such as 0.5 for two years."""
    return step.operation == "exp" and bool(exponent.value) and needs_no_source(1 / exponent.value)


def _makes_an_amount(plan: Plan, step: Compute, constant: Constant) -> bool:
    """Return whether a small number acts as an amount: added to a number, or multiplied by a constant one."""
    others = [plan.steps[o.step - 1] for o in step.operands if isinstance(o, Ref) and o.step > 0]
    if step.operation in ("add", "subtract", "sum"):
        of_a_share = all(isinstance(other, Compute) or other.counts.percent for other in others)
        return constant.value != 0 and not (constant.value == 1 and of_a_share)
    return any(_is_always_one(other) for other in others) or (step.operation == "exp" and constant.value == 0)


def _is_always_one(step: Step) -> bool:
    if not isinstance(step, Compute):
        return False
    by_itself = step.operation == "divide" and len(set(step.operands)) == 1
    return by_itself or (
        step.operation == "exp" and isinstance(step.operands[-1], Constant) and not step.operands[-1].value
    )


def _allowed_words(template: str, known: str) -> frozenset[str]:
    """Return the years, names and small numbers in words that the sources of a sentence contain."""
    spans = (span.quantity for span in find_quantities(without_references(template)))
    counted = [amount.text for amount in spans if amount.unit or amount.scale is not Scale.ONE]
    named = {found[0] for found in _NAMED.finditer(known)}
    years = {found[1] for found in _NAMED.finditer(known) if found[1]}
    short = {form for year in years for form in (year, f"FY{year}", f"FY {year}", f"FY{year[2:]}")}
    forms = frozenset(form for form in named | short if not any(form in text for text in counted))
    return forms | (NUMBER_WORDS.keys() & set(known.casefold().split()))


@dataclass(slots=True)
class _Binder:
    steps: list[Step]
    own: int
    earlier: frozenset[int]
    document: Document
    question: str
    passages: Mapping[str, Sentence]
    notation: str
    _known: list[str] = field(default_factory=list)

    def bind(self, sentence: str) -> str:
        """Return the template of a sentence."""
        self._known = [self.question]
        template = _FILLED.sub(lambda found: f"{{#{self._step(found[1])}}}", sentence)
        template = _CITED.sub(
            lambda found: "".join(f"[#{self._step(step)}]" for step in _STEP.findall(found[1])), template
        )
        template = _PASSAGES.sub(self._cite_named, template)
        template = _QUOTED.sub(lambda found: f"[#{self._passage(found[1] or found[2] or found[3])}]", template)
        template = _IN_MARKS.sub(self._fill_words, template)
        if left := _LEFT_OVER.search(_PRINTED.sub("", template)):
            raise ModelReplyError(f"has {template[left.start() :][:20]!r}, no reference; write {self.notation}")
        shown = (one for one in _PRINTED_CITATION.sub("", template) if unicodedata.category(one) not in ("Cf", "Mn"))
        if altered := _RUN_ON.search("".join(shown)):
            raise ModelReplyError(f"has {altered[0]!r}, which reads as another number; part them with words")
        if loose := unbound_numbers(template, _allowed_words(template, " ".join(self._known))):
            raise ModelReplyError(f"says {', '.join(loose)[:80]!r} by itself; write {self.notation}, or leave it out")
        if not steps_referred(template):
            raise ModelReplyError('has no source; end it with a reference or ["words copied from the page"]')
        if not any(map(str.isalpha, without_references(template))):
            raise ModelReplyError("has no words")
        template = " ".join(template.split())
        if len(template) > LONGEST_SENTENCE:
            raise ModelReplyError(f"is longer than {LONGEST_SENTENCE} characters")
        return template

    def _cite_named(self, found: re.Match[str]) -> str:
        """Cite passages by name; leave brackets with other content unchanged."""
        names = [name.strip() for name in found[1].split(",")]
        if not all(name in self.passages for name in names):
            return found[0]
        quoted = (quote_sentence(self.document, self.passages[name]).step(0) for name in names)
        return "".join(f"[#{self._learned(step)}]" for step in quoted)

    def _fill_words(self, found: re.Match[str]) -> str:
        """Replace quoted words that contain a number by a reference to the passage, if the page has it."""
        if _PRINTED.search(found[1]) or not unbound_numbers(found[1]):
            return found[0]
        try:
            return f'"{{#{self._passage(found[1])}}}"'
        except ModelReplyError:
            return found[0]

    def _step(self, digits: str) -> int:
        step = int(digits)
        if 0 < step <= self.own:
            self._learn(self.steps[step - 1])
            return step
        if step in self.earlier:
            return self._added(Compute(0, "identity", (Ref(step),)))
        raise ModelReplyError(f"names step #{digits}, which there is not")

    def _passage(self, words: str) -> int:
        try:
            found = quote(self.document, words, self.question)
        except QuoteFailure as failure:
            raise ModelReplyError(f"cites what is not there: {failure}") from failure
        if number_in_place(self.document, found):
            raise ModelReplyError(f"quotes the number {found.text[:40]!r}; look it up, and name its step")
        return self._learned(found.step(0))

    def _learned(self, step: Step) -> int:
        self._learn(step)
        return self._added(step)

    def _added(self, step: Step) -> int:
        same = (known.id for known in self.steps[self.own :] if replace(known, id=0) == step)
        if (known := next(same, None)) is None:
            known = len(self.steps) + 1
            self.steps.append(replace(step, id=known))
        return known

    def _learn(self, step: Step) -> None:
        """Collect the text around a step's source, whose years and names the sentence may use."""
        if isinstance(step, Compute):
            for operand in step.operands:
                if isinstance(operand, Ref) and operand.step > 0:
                    self._learn(self.steps[operand.step - 1])
            return
        self._known.extend((step.label, step.text or ""))
        if isinstance(step.source, SentenceRef):
            self._known.append(self.document.sentence(step.source).text)
        elif isinstance(step.source, CellRef):
            self._known.append(self.document.table(step.source.table).title)


def _whole(text: str) -> str:
    """Replace unpaired surrogates, which can be neither shown nor stored, by question marks."""
    return text.encode("utf-8", "replace").decode()


def _split(texts: Iterable[str]) -> Iterator[str]:
    """Yield single sentences; a citation after a full stop belongs to the sentence before."""
    for text in texts:
        cited: list[str] = []

        def hide(found: re.Match[str], cited: list[str] = cited) -> str:
            cited.append(found[0])
            return f"{_HIDDEN}{len(cited) - 1}{_HIDDEN}"

        hidden = _PASSAGES.sub(hide, _CITED.sub(hide, _QUOTED.sub(hide, text.replace(_HIDDEN, ""))))
        pending = ""
        for piece in (*_END.split(_CITED_BEHIND.sub(r" \2\1 ", hidden).strip()), ""):
            if pending and not (piece and _ABBREVIATION.search(pending)):
                yield "".join(cited[int(part)] if at % 2 else part for at, part in enumerate(_HIDING.split(pending)))
                pending = ""
            pending = f"{pending} {piece}".strip()


def _renumber(step: Step, number: Callable[[int], int]) -> Step:
    return replace_references(step, lambda ref: Ref(number(ref.step)) if ref.step > 0 else ref)
