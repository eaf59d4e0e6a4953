"""Parses a question about a filing: its times, its operands and their relation, and whether it refers back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice, pairwise

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import SMALL, spans_of_terms, term
from quaestor.documents.table import TableRole
from quaestor.ontology.lexicon import LexiconMatch, read_lexicon
from quaestor.questions.instructions import read_instructions
from quaestor.questions.moments import MomentQuery, begin_years, read_moments
from quaestor.questions.wordings import in_plain_wording

__all__ = [
    "INTENTS",
    "MomentQuery",
    "ParsedQuestion",
    "QuestionOperand",
    "read_filing_question",
    "read_operand",
    "relate_operands",
]

INTENTS = (
    "lookup", "text_fact", "unanswerable", "ratio", "growth", "list", "why", "sum", "ranking", "two_part", "change",
    "share", "yesno", "comparison", "description", "ambiguous", "average", "cagr",
)  # fmt: skip
"""What a question may ask for."""


@dataclass(frozen=True, slots=True)
class QuestionOperand:
    """Span of a question that names something with a number.

    Attributes:
        terms: The terms that carry meaning, in order.
        phrase: All terms, which `matches` index into.
    """

    text: str
    terms: tuple[str, ...]
    matches: tuple[LexiconMatch, ...]
    phrase: tuple[str, ...]

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts that it may name."""
        return frozenset(concept for match in self.matches for concept in match.concepts)

    @property
    def is_concept(self) -> bool:
        """Whether it names a concept or a measure, and nothing else."""
        named = {term for match in self.matches for term in self.phrase[match.start : match.end]}
        return bool(named) and named.issuperset(self.terms)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that it may name."""
        return tuple(measure for match in self.matches for measure in match.measures)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """Question about a filing, parsed without the conversation before it.

    Attributes:
        text: The question in plain wording.
        moments: The named times, in order.
        operands: What the question is about: one span, or several related ones. A span without terms refers to the
            previous turn: "as a share of revenue".
        relation: The relation of the operands: `ratio` (the first by the second), `part` (the amount of the second that
            the first is), `sum`, `difference`, `versus`, or "".
        goes_on: Whether it refers to the previous turn ("and in 2023?", "that").
        whole: All words as one operand, without what is only included ("incl. interest"), for names that contain words
            of a relation.
        each: The things to give separate numbers for ("by segment", "per quarter"), or "".
        role: The statement named as the source of the number.
        basis: `gaap` or `adjusted`, or "".
        unit: `percent`, `points` or `amount`, or "".
        total_asked: Whether it asks for a total ("overall", "in total", "incl. interest") with words that are not part
            of a name, as in "total assets".
        source: The terms of the note or table named as the source of the number.
        quoted: The quoted labels that would be parsed as more than names.
        outline: The text with a mark for each quoted label; "" if there is none.
        of_balance: Whether it asks for the change of a balance.
        times_relation: How the named times are related: `choice` ("higher in 2022 or 2023"), `sum` ("over 2022-2024",
            "2022 + 2023"), `difference` ("2023 less 2022"), or "".
        excluded: The terms of what it excludes: "(not treasury shares)", "without finance leases".
    """

    text: str
    moments: tuple[MomentQuery, ...]
    operands: tuple[QuestionOperand, ...]
    relation: str
    goes_on: bool
    whole: QuestionOperand
    each: str = ""
    role: TableRole | None = None
    basis: str = ""
    unit: str = ""
    total_asked: bool = False
    source: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    outline: str = ""
    of_balance: bool = False
    times_relation: str = ""
    excluded: frozenset[str] = frozenset()

    @property
    def operation_text(self) -> str:
        """The text in lower case, in which words of quoted labels, such as "change" or "and", are hidden."""
        return (self.outline or self.text).lower()

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of all operands."""
        return tuple(term for operand in self.operands for term in operand.terms)

    @property
    def slots(self) -> frozenset[str]:
        """What it names itself: `measure`, `member`, `time`, `operation`; the rest comes from the previous turn."""
        named = {place for match in self.whole.matches for place in range(match.start, match.end)}
        others = set(self.whole.terms) - {self.whole.phrase[place] for place in named}
        found = {
            "measure": bool(named), "member": bool(others), "time": bool(self.moments),
            "operation": bool(self.relation or self.unit or _OPERATION.search(self.text.lower())),
        }  # fmt: skip
        return frozenset(slot for slot, is_named in found.items() if is_named)


_OPERATION = lazy_regex(
    r"\b(?:growth|grew|grow|grown|change[ds]?|increase[ds]?|decrease[ds]?|rose|rise|fell|fall|drop(?:ped)?|decline[ds]?"
    r"|yoy|cagr|average|avg|mean|share|ratio|percent(?:age)?|difference|sum|total|list|rank|which|compare[ds]?|why)\b|%"
)

# Words outside operands

_CASH_SPENT = lazy_regex(
    r"(?<=\bhow much )(?:cash|money) (?=(?:did|does|do|has|have|was|is|went)\b)"
    r"(?=.{0,80}\b(?:spen[dt]|paid|pay|put|used?|return\w*|give|hand|go|went|invest\w*)\b)"
)
"""Words for the money in questions for what it is spent on."""
_POLITE = lazy_regex(
    r"\b(?:(?:could|can|would|will) you|please|pls|kindly|thanks|thank you|i(?:'d| would) like|i want(?: to know)?"
    r"|(?:tell|give|show|remind) (?:me|us)|(?:let me|do you) know|help me|briefly|in (?:a|one) sentence"
    r"|in (?:a )?few words|a short summary would be great|what(?:'s| is| was| were| are) the value of"
    r"|if (?:it|that|this)(?:'s| is|) ?n[o']?t (?:shown|given|printed|stated|reported)|if (?:possible|available)"
    r"|i\.e\.?|e\.g\.?)(?![\w'])"
)
_ADJUSTED = lazy_regex(r"\bnon[ -]?gaap\b|\badjusted\b|\bcore (?:eps|earnings|basis)\b|\bunderlying\b")
_GAAP = lazy_regex(r"\bgaap\b|\bas reported\b|\breported basis\b")
_BASIS = lazy_regex(
    r",?\s*\bon\s+(?:an?|the)\s+(?P<kind>[a-z]+(?:[ -][a-z]+){0,2}?)\s+basis\b|\s+\bbasis\b(?!\s+points?)"
)
_EACH = lazy_regex(
    r"\b(?:by|per|(?:for |in |of )?(?:each|every)(?: of)?|across(?: the)?|broken down by|split by|break down by)\s+"
    r"(?:its |the |their )?"
    r"(?:(?:fiscal|reportable|operating|business|product|geographic|revenue|reporting|main|named)\s+){0,2}"
    r"(?P<each>segments?|regions?|geograph(?:y|ies)|countr(?:y|ies)|states?|categor(?:y|ies)|products?|services?"
    r"|divisions?|units?|lines?|types?|class(?:es)?|customers?|channels?|brands?|functions?|programs?|sources?|areas?|markets?"
    r"|quarters?|years?|months?|periods?)\b"
    r"|\b(?P<again>quarter|year|month|segment) by (?P=again)\b"
)
_SOURCE = lazy_regex(r",?\s*\b(?:working |work(?:ed)? it out |worked out |backed out |back it out )from\b.*$")

_NAMED_SOURCE = lazy_regex(
    r",?\s*\(?\b(?:according\s+to|as\s+per|per|in)\s+(?:the\s+|its\s+)?(?:note\s+\d+\b(?P<note>[^,;?()]*)"
    r"|(?P<kind>(?:[\w&'/-]+\s+){1,6}?)(?:(?:foot)?note|table|schedule)\b(?!\s+\d)\)?)"
    r"|\baccording\s+to\s+(?:the\s+|its\s+)?(?P<title>[^,;?()]+)$"
)
"""The note or table that a question names as the source of its number."""
_ANY_SOURCE = frozenset(
    term(word) for word in "note notes footnote table schedule section report filing 10 k q".split()
)

# What qualifies an operand

_INCLUDE = r"(?:including|incl\.?|inclusive\s+of)"
_ASIDE = r"[^,()]*[,)]?"
_INCLUDING = lazy_regex(rf"[\s,(]{_INCLUDE}\s{_ASIDE}")
_INCIDENTAL = lazy_regex(
    rf"[\s,(]{_INCLUDE}\s+(?:(?:the|its|any|all|both)\s+)?(?:parts?|portions?|amounts?|those|that|what|pieces?)\b{_ASIDE}"
    rf"|[,(]\s?(?:before|gross\s+of)\s{_ASIDE}"
)
"""Qualifiers that are neither requested nor added: "incl. the part in cost of sales", ", before disposals"."""
_NOT = lazy_regex(
    r"\s?[,(?;]\s?(?:and |but )?not (?!(?:just|only|yet|in|an?|so|as|what|how|by)\b)"
    r"(?:(?:counting|including|from|the|to|of) )*(?P<other>[\w&'/-][\w &'/-]{2,40}?)(?:\)|(?=[,?;])|$)"
)
"""What a question does not mean: "other assets (not other current)"."""
_WITHOUT = lazy_regex(r"\b(?:excluding|excl|ex|without|other than|apart from|leaving out)\b")
_TOTAL = lazy_regex(
    r"\b(?:total|overall|altogether|aggregate|combined|all (?:told|in|together)|in all|in sum|together|including|incl"
    r"|inclusive of)\b"
)

# How times are related

_BETWEEN_TIMES = lazy_regex(
    r"[\s,]*(?:(?:(?P<choice>or)|(?P<versus>vs\.?|versus)|(?P<sum>\+|plus)|(?P<difference>less|minus)|and|&)"
    r"(?:\s+(?:that|those|the\s+(?:one|amount|value|figure|number)))?"
    r"(?:\s+(?:in|for|of|at|on|from|during|by|as\s+of|the|end))*)?\s*"
)
_COMPARED_WITH = lazy_regex(r"\b(?:than|versus|vs\.?)(?:\s+(?:in|for|at|during|the))*\s+$")
"""Words that compare with the time after them, not with the thing after it: "more than last year in sales"."""
_CHOSEN = lazy_regex(
    r"\b(?:higher|lower|larger|smaller|bigger|greater|more|less|fewer|better|worse|faster|slower|quicker|stronger|weaker|gr[eo]w"
    r"|(?:high|low|larg|small|bigg|great|strong|weak|fast|slow|quick)est|most|least|best|worst|increase|decrease|rise|fall|drop)\b"
)
_ADDED_UP = lazy_regex(
    r"\b(?:sum|altogether|together|combined(?!\s+[a-z]{3,})|cumulat\w+|in (?:total|all|sum)|all (?:in|told))\b"
    r"|\badd(?:ed)? (?:\w+ )?up\b|\btotal\W*$|^\W*(?:(?:and|so|the|what|is|was) )*total (?:of|for)\b"
)
_THROUGHOUT = lazy_regex(r"\b(?:over|during|across|throughout)\s+(?:(?:the|all|these|those|fiscal|years?)\s+)*$")
_BEGINS_THROUGHOUT = lazy_regex(r"(?:over|during|across|throughout)\b")
_TOTAL_FOLLOWS = lazy_regex(r"\W*total\b")
_NOT_ADDED = lazy_regex(
    r"^\W*(?:(?:and|so|but|ok) )*(?:did|does|do|is|are|was|were|has|have|had)\b|\bhow (?:did|has|have|was|were)\b"
    r"|\bfirst\W*$|\b(?:in (?:that )?order|each|every|(?:by|per) year|list|respectively|separately|average|avg|mean"
    r"|median|cagr|gr[eo]w\w*|growth|chang\w*|increas\w*|decreas\w*|declin\w*|ris(?:e|en|ing)|rose|f[ae]ll\w*|drop\w*"
    r"|(?:go|goes|went|come|came) (?:up|down)|compar\w*|differ\w*|develop\w*|evolv\w*|trend|which|who|when|why|describe"
    r"|than|rank\w*|(?:high|low|larg|bigg|small|great|strong|weak|fast|slow)est|most|least|best|worst)\b"
)
"""Words for something other than the sum over several years."""

# How operands are related

_PORTION = r"(?:share|percentage|percent|pct|%|proportion|fraction|portion)"
_AS_PART = lazy_regex(rf"(?:\b(?:as|in)\s+)(?:an?\s+|the\s+|what\s+)?(?:{_PORTION}|part|multiple)\s*(?:of|to|on)\s+")
_TO_BE = (
    r"(?:is|was|were|are|be|came\s+from|comes?\s+from|did|does|do|goes\s+to|went\s+(?:to|on|into|out\s+(?:as|on|to))"
    r"|made\s+up\s+by|falls?|fell|from|in|relates?\s+to|related\s+to|sits?\s+in|has|had|consists?\s+of|belongs?\s+to)"
)
_AUXILIARY = (
    r"(?:is|are|was|were|comes?|came|falls?|fell|goes|go|went|matur\w+|should|will|would|can|could|did|does|do|has"
    r"|had|have|sits?|remain\w*|hit)"
)
_PART_OF = lazy_regex(
    rf"(?P<how>\bhow\s+much|(?:what|which|how\s+(?:big|large)\s+an?)\s+(?:part|slice|chunk|bit|piece)|(?<!\d)(?<!\d )"
    rf"{_PORTION})\s+of\s+(?:(?:it|them|(?:that|this|those|these|which)(?=\s+{_AUXILIARY}\b|$))\b(?P<rest>.*)"
    rf"|(?P<whole>(?:(?!\bof\b).)+?)(?:\s+{_TO_BE}\b(?P<part>.*)|$))"
)
_RATIO_OF = lazy_regex(r"\bratio\s+of\s+(?P<a>.+?)\s+(?:to|over|and)\s+(?P<b>.+)")
_COVERS = lazy_regex(
    r"\b(?:how\s+many\s+times\s+(?:over\s+)?(?:does|do|did|is|was|could|would|can)?|times)\s*(?P<a>\S.{0,60}?)\s+"
    r"(?:covers?|covered|exceeds?|pays?\s+for)\b(?P<b>.*)"
)
_TIMES_OF = lazy_regex(r"\bhow\s+many\s+times\s+(?P<b>.+?)\s+(?:is|was|are|were)\b(?P<a>.*)")
UPWARD = r"(?:higher|more|better|larger|bigger|greater|faster|quicker|stronger|up|rise|rose|increased?|grow|grew)"
DOWNWARD = r"(?:lower|less|fewer|worse|smaller|slower|weaker|down|fall|fell|decreased?|shr[ia]nk)"
_CONNECTORS = lazy_regex(
    r"(?P<ratio>\s(?:divided\s+by|relative\s+to|over|against)\s|\sto\s|(?:^|\s)per\s|\s?/\s?)"
    r"|(?P<difference>(?:^|[\s,(])(?:less(?!\s+than\b)|minus|net\s+of|excluding|excl\.?|ex|without|after\s+deducting|apart\s+from"
    r"|other\s+than|leaving\s+out|taking\s+(?:off|out)|(?:you\s+|^)take\s+(?:off|out)|strip(?:ping|ped)?\s+out)[\s-])"
    r"|(?P<versus>(?:^|[\s,])(?:versus|vs\.?|than(?!\s+\d)|compared\s+(?:to|with)"
    rf"|or(?!\s+(?:loss|losses|expense|gain|not|so|{UPWARD}|{DOWNWARD})\b)|above|below|outsell|beat|exceed(?:ed)?|outgrow"
    r"|outgrew|outpaced?|enough\s+to\s+(?:cover|fund|pay(?:\s+for)?))\s)"
    r"|(?P<sum>(?:^|[\s,(])"
    r"(?:plus|together\s+with|combined\s+with|added\s+to|counting|including|incl\.?|as\s+well\s+as)\s"
    r"|\s?\+\s|[\s,](?:and|&)\s|,\s)"
)
_OPENING = frozenset({"per", "less", "minus", "net of", "excluding", "without", "plus", "counting", "including", "than",
                      "versus", "vs", "vs.", "compared to", "compared with", "leaving out", "apart from"})  # fmt: skip
"""Connectors that may open a question: "plus short-term investments?" refers to the previous turn."""
_JOINING = frozenset({"and", "&", ",", "or"})
_VERBS = frozenset({"outsell", "beat", "exceed", "exceeded", "outgrow", "outgrew", "outpace", "outpaced"})
_PREPOSITION = lazy_regex(r"\s*(on|in|for|from|to|at)\s")
_POINTS_BACK = lazy_regex(r"\s*(?:that|this|those|these|it|them)\s*")
_ENDS_POINTING_BACK = lazy_regex(r"\b(?:that|this|those|these|it|they)\s*$")
"""Words for the last answer as an operand: "did sales grow faster than that"."""
_CLAUSE = lazy_regex(
    r"\s*(?:(?:so|also|then)\s+)?(?:how|what|what's|whats|who|who's|when|where|why|which|is|are|was|were|did|does"
    r"|do|has|have|will|would|should|since|if|by|at|for(?=\s+(?:how|what|which|whom|when)))\b"
)
_GOVERNS = lazy_regex(r"\b(?:yields?|rates?|returns?|interest|coupons?)(?:\s+\w+)?\s+on\s[^,]*$")
"""Before a joining word: interest or returns on everything that follows."""
_MOST_RELATING = 64
"""Maximum number of relating words to consider."""
_TERM_OF_BALANCE = lazy_regex(
    r"\s*(?:both |all |the )*(?:non-?\s?current|current|(?:long|short)(?:[\s-]?term)?)"
    r"(?: (?:portions?|parts?|bits?|together|combined|in all|altogether))*[\s,]*"
)
"""Parts of a balance by their maturity."""
_OF_SAME_MEASURE = lazy_regex(r"\s*(?:that|those|the (?:one|ones|same))\s+(?:in|of|for|from|at)\b")
_FEW = 2
_LONG_ITEM = 5
"""Maximum number of terms in an item of a list."""
_NOT_A_RATIO = lazy_regex(
    r"\b(?:attribut\w+|return\w*|guid\w*|compar\w*|due|paid|pay|payable|available|give[ns]?|relat\w*|belong\w*"
    r"|go(?:es|ing)?|went|sold|sales|chang\w*|expect\w*|plan\w*|switch\w*|from|up|down|comes?|close|applied|allocated|charged)$"
)
_UNITS_OF_PARTS = lazy_regex(
    r"(?:an? )?(?:(?:basic|diluted|common|ordinary) ){0,2}(?:shares?|quarter|year|month|day|week|units?|[kmg]wh|therms?"
    r"|mcf|mmbtu|barrels?|bbl|boe|tons?|tonnes?|ounces?|pounds?|gallons?|miles?|square (?:foot|feet)|sq\.? ?(?:ft|m)"
    r"|rooms?)\b"
)
"""Units of measurement: a number per such a unit is printed as one and is not computed as a quotient."""
_DEFINED = lazy_regex(
    r"[,(:=]|\s-\s|\b(?:using|use|taking|based on|calculated as|defined as|meaning|on)\b"
    r"|\bas\b(?! (?:%|(?:an?|the|percent|share)\b))"
)
_BEGINS_DEFINITION = lazy_regex(r"\s*(?:taking|using|where|defining|assuming)\b")
_ARITHMETIC = lazy_regex(r"\s(?:over|less|minus|plus|divided\s+by|times)\s|[/+]|\b365\b|\baverage\b")


_GOES_ON = lazy_regex(
    r"^\s*(?:and|so|but|then|ok|okay|now|what\s+about|how\s+about|same|also|just|only|on|in|for|as|by|per|plus|of)\b"
    r"|\b(?:it|its|that|this|those|these|they|there|them|one|ones|same|both|then|together|instead)\b",
)


@lru_cache(maxsize=1)
def _fillers() -> frozenset[str]:
    """Return the terms of questions that do not name anything measured."""
    written = (files("quaestor.questions") / "fillers.txt").read_text(encoding="utf-8")
    return SMALL | frozenset(term(word) for word in written.split())


@lru_cache(maxsize=4096)
def is_filler(word: str) -> bool:
    """Return whether a term does not name anything measured."""
    return word in _fillers() or word[0].isdigit() or word == "%"


_SPELLED_OUT = {
    "accts": "accounts", "ad": "advertising", "admin": "administrative", "ads": "advertising", "amort": "amortization",
    "biz": "business", "depr": "depreciation", "ecom": "e-commerce", "ecommerce": "e-commerce",
    "equivs": "equivalents", "govt": "government", "infra": "infrastructure", "int'l": "international",
    "intl": "international", "liabs": "liabilities", "mfg": "manufacturing", "mgmt": "management",
    "misc": "miscellaneous", "mktg": "marketing", "ops": "operations", "pref": "preferred", "svc": "service",
    "svcs": "services",
}  # fmt: skip
"""Abbreviations that filings spell out."""
_EARNS = lazy_regex(
    r"\bhow much\b(?: money)?.{0,40} (?:lose|lost|earn|earned|make|made)(?: money| all told| overall| in total)?"
    r"(?: (?:in|for|during|over|the|of)){0,3}[ ,?]{0,3}$"
)
"""Questions for what is earned or lost, without a word for it."""
_ABBREVIATED = lazy_regex(rf"\b(?:{'|'.join(_SPELLED_OUT)})\b")


_PRINTED = {term("outside"): "non"}
"""Terms for which labels print another term: "Non-U.S."."""


@lru_cache(maxsize=512)
def read_filing_question(text: str) -> ParsedQuestion:
    """Parse a question about a filing from its text alone, without the filing and the conversation before it."""
    text = in_plain_wording(re.sub(r"\s{2,}|[^\S ]", " ", text))
    lowered = re.sub(r"\s+", " ", text.lower().replace("\u2019", "'")).strip(" ?!.")
    lowered = _ABBREVIATED.sub(lambda match: _SPELLED_OUT[match[0]], lowered)
    each = _EACH.search(lowered)
    moments = tuple(read_moments(lowered))
    dated = begin_years(moments)
    spans, times_relation = _relate_times(lowered, moments)
    rest = lowered
    for start, end in reversed(spans):
        rest = f"{rest[:start]} {rest[end:]}"
    rest, role, unit = _take_instructions(re.sub(r"\s+", " ", rest))
    if _EARNS.search(rest):
        rest = f"{rest} net income"
    rest, source = _take_source(rest)
    rest, excluded = _take_exclusion(rest)
    total_asked = _asks_for_total(rest)
    rest, whole = _take_qualifiers(rest)
    relation, operands = relate_operands(_without_definition(re.sub(r"\s+", " ", rest).strip(" ,?")))
    if relation == "difference" and _WITHOUT.search(rest):
        excluded = operands[1].terms
    basis = "adjusted" if _ADJUSTED.search(lowered) else "gaap" if _GAAP.search(lowered) else ""
    return ParsedQuestion(
        text, dated, operands, relation, bool(_GOES_ON.search(lowered)), read_operand(whole),
        (each["each"] or each["again"]) if each else "", role, basis, unit, total_asked, source,
        times_relation=times_relation,
        excluded=frozenset(excluded),
    )  # fmt: skip


def read_operand(text: str) -> QuestionOperand:
    """Parse a span of a question as an operand."""
    phrase = tuple(_PRINTED.get(found, found) for _, _, found in spans_of_terms(text))
    matches = read_lexicon().find(phrase)
    named = {place for match in matches for place in range(match.start, match.end)}
    terms = tuple(found for place, found in enumerate(phrase) if place in named or not is_filler(found))
    return QuestionOperand(text, terms, matches, phrase)


def _take_instructions(text: str) -> tuple[str, TableRole | None, str]:
    """Remove the instructions of a question; also return the statement and the unit that they name."""
    instructions = read_instructions(_SOURCE.sub(" ", _POLITE.sub(" ", _CASH_SPENT.sub("", text))))
    return _BASIS.sub(lambda found: f" {found['kind'] or ''} ", instructions.rest), instructions.role, instructions.unit


def _take_source(text: str) -> tuple[str, tuple[str, ...]]:
    """Remove the note or table named as the source of a question; also return its terms."""
    found = _NAMED_SOURCE.search(text)
    if found is None:
        return text, ()
    named = read_operand(found["title"] or found["kind"] or found["note"])
    if _ANY_SOURCE.issuperset(named.terms):
        return text, ()
    return text[: found.start()] + text[found.end() :], named.terms


def _take_exclusion(text: str) -> tuple[str, tuple[str, ...]]:
    """Remove what a question says that it does not mean; also return its terms."""
    found = _NOT.search(text)
    if found is None or not _names(text[: found.start()]):
        return text, ()
    return f"{text[: found.start()]} {text[found.end() :]}", read_operand(found["other"]).terms


def _asks_for_total(text: str) -> bool:
    """Return whether a text asks for a total with words that are not part of a lexicon phrase."""
    found = list(_TOTAL.finditer(text))
    spans = _phrases(text) if found else []
    return any(all(one.end() <= start or end <= one.start() for start, end in spans) for one in found)


def _take_qualifiers(text: str) -> tuple[str, str]:
    """Return a question without qualifiers of its measurement, and also without what it includes.

    "Capex, before disposals" is capex and "debt including the part due within a year" is debt, regardless of the lines
    that contain the rest. What is included may be added ("incl. variable costs"), but is not requested by itself.
    """
    plain = _sub_qualifier(_INCIDENTAL, text)
    return plain, _sub_qualifier(_INCLUDING, plain)


def _sub_qualifier(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    if found is None or not _names(text[: found.start()]):
        return text
    if any(start < found.start() < end for start, end in _phrases(text)):
        return text  # "income (before taxes)"
    return f"{text[: found.start()]} {text[found.end() :]}"


def _without_definition(text: str) -> str:
    """Remove the definition of a measure that the lexicon can compute."""
    for found in islice(_DEFINED.finditer(text), _MOST_RELATING):
        head, tail = text[: found.start()], text[found.end() :]
        if not _ARITHMETIC.search(f" {tail}"):
            continue
        if relate_operands(head)[0] and not (found[0] == "(" or _BEGINS_DEFINITION.match(tail)):
            continue
        measures = read_lexicon().measures
        if any(measures[name].formula is not None for name in read_operand(head).measures):
            return head
    return text


# Times


def _relate_times(text: str, moments: Sequence[MomentQuery]) -> tuple[list[tuple[int, int]], str]:
    """Return the spans of the times in a text, with the words that join them, and how the times are related."""
    spans: list[tuple[int, int]] = []
    relation = ""
    for moment in moments:
        joint = _BETWEEN_TIMES.fullmatch(text[spans[-1][1] : moment.start]) if spans else None
        if joint is None:
            compared = _COMPARED_WITH.search(text[: moment.start])
            spans.append((compared.start() if compared else moment.start, moment.end))
        else:
            spans[-1] = (spans[-1][0], moment.end)
            relation = joint.lastgroup or relation
    if relation in ("choice", "versus"):
        chooses = _CHOSEN.search(text) and (relation == "choice" or re.search(r"\bwhich\b", text))
        relation = "choice" if chooses else ""
    return spans, relation or ("sum" if _adds_times(text, moments) else "")


def _adds_times(text: str, moments: Sequence[MomentQuery]) -> bool:
    """Return whether a text asks for the sum over several years."""
    years = [moment for moment in moments if (moment.count or 0) > 1]
    if not (years or len(moments) > 1) or _NOT_ADDED.search(text):
        return False
    return bool(_ADDED_UP.search(text)) or any(
        _THROUGHOUT.search(text[: moment.start])
        or _BEGINS_THROUGHOUT.match(text[moment.start :])
        or _TOTAL_FOLLOWS.match(text[moment.end :])
        for moment in years
    )


# Operands


def relate_operands(text: str) -> tuple[str, tuple[QuestionOperand, ...]]:
    """Return the relation of a text's operands, and the operands; "" and the whole text if there is none."""
    for read in (_read_as_part, _read_part_of, _read_ratio_phrase, _read_connected):
        found = read(text)
        if found is not None:
            relation, parts = found
            return relation, tuple(map(read_operand, parts))
    return "", (read_operand(text),)


_Found = tuple[str, tuple[str, ...]] | None


def _read_as_part(text: str) -> _Found:
    """Read "capex as a share of revenue"."""
    found = _AS_PART.search(text)
    if found is None or not text[found.end() :].strip():
        return None
    return "ratio", (text[: found.start()], text[found.end() :])


def _read_part_of(text: str) -> _Found:
    """Read "what share of revenue is services", "how much of it came from aws", "services' share of revenue"."""
    found = _PART_OF.search(text)
    if found is None or any(start < found.start() < end for start, end in _phrases(text)):
        return None  # "gross margin percentage of services"
    whole, part = found["whole"] or "", found["part"] or found["rest"] or ""
    before = text[: found.start()]
    if not _names(part) and _names(before):
        part = before
    if not _names(whole) and not _names(part):
        return None
    relation = "part" if found["how"].startswith("how") and found["how"].endswith("much") else "ratio"
    named, of = read_operand(part), read_operand(whole)
    if named.terms and of.terms and (relation == "part" or not named.matches):
        part = f"{part} {whole}"  # "srs" of "the sales" are srs sales
    return relation, (part, whole)


def _read_ratio_phrase(text: str) -> _Found:
    """Read "ratio of debt to equity", "how many times does income cover interest"."""
    for pattern in (_RATIO_OF, _COVERS, _TIMES_OF):
        found = pattern.search(text)
        if found and (_names(found["a"]) or _names(found["b"])):
            return "ratio", (found["a"], found["b"])
    return None


def _read_connected(text: str) -> _Found:
    """Read operands between connectors of the first relation that the text has, in the order of the loop."""
    spans = _phrases(text)
    found = [
        one for one in islice(_CONNECTORS.finditer(text), _MOST_RELATING)
        if _word(one) == "net of" or not any(_is_inside(one, span, text) for span in spans)
    ]  # fmt: skip
    for relation in ("ratio", "difference", "versus", "sum"):
        connectors = [one for one in found if one[relation] is not None and _relates(text, one, relation)]
        if not connectors:
            continue
        connectors = _keep_enumeration(connectors, text) if relation == "sum" else connectors[:1]
        if not connectors:
            continue
        ends = [0, *(one.end() for one in connectors)]
        starts = [*(one.start() for one in connectors), len(text)]
        parts = [text[end:start] for end, start in zip(ends, starts, strict=True)]
        first = connectors[0]
        if relation == "sum" and not _names(parts[0]) and _word(first) in _JOINING:
            parts = parts[1:]
        if relation == "sum" and len(parts) > _FEW and all(map(_TERM_OF_BALANCE.fullmatch, parts[1:])):
            parts = [f"{part} {parts[0]}" for part in parts[1:]]  # "debt, current and long-term"
        elif relation in ("sum", "versus") or _OF_SAME_MEASURE.match(parts[-1]):
            parts = _share_measure(_without_head(parts), last_only=_word(first) in _VERBS)
        if len(parts) > 1:
            return relation, tuple(parts)
    return None


def _is_inside(connector: re.Match[str], span: tuple[int, int], text: str) -> bool:
    """Return whether a connector is part of a lexicon phrase, and not between one phrase and another longer one.

    "net income and diluted" matches a phrase because "and" is dropped; in "net income and diluted EPS" it does not.
    """
    start, end = span
    if not (start < connector.end() - 1 and connector.start() < end):
        return False
    after = _phrases(text[connector.end() :])
    longer = bool(after) and after[0][0] == 0 and connector.end() + after[0][1] > end
    return not (longer and (start, connector.start()) in _phrases(text[: connector.start()]))


def _relates(text: str, connector: re.Match[str], relation: str) -> bool:
    """Return whether a connector relates the texts before and after it."""
    before, after = text[: connector.start()], text[connector.end() :]
    word = _word(connector)
    left, right = read_operand(before), read_operand(after)
    opens = not left.terms
    if relation == "difference":
        return bool(right.terms) or (bool(left.terms) and bool(re.match(r"\s*(?:that|it|those|this)\b", after)))
    if not right.terms:
        return relation == "versus" and word != "or" and bool(left.terms) and bool(_POINTS_BACK.fullmatch(after))
    if relation == "ratio":
        return _is_ratio(before, after, word, left, right)
    if word in _JOINING:
        named = word != "&" or (bool(left.matches) and bool(right.matches))
        refers = word == "or" and bool(_ENDS_POINTING_BACK.search(before))
        return (not opens or refers) and named and not _CLAUSE.match(after) and not _GOVERNS.search(before)
    refers = relation == "versus" and (word.startswith("enough") or bool(_ENDS_POINTING_BACK.search(before)))
    return not opens or word in _OPENING or refers


def _is_ratio(before: str, after: str, word: str, left: QuestionOperand, right: QuestionOperand) -> bool:
    near = left.matches and left.matches[-1].end == len(left.phrase)
    far = right.matches and right.matches[0].start <= 1
    if word == "per":
        return not _UNITS_OF_PARTS.match(after.strip())
    if word in ("divided by", "relative to"):
        return True
    if word == "to":
        if re.search(r"\bfrom\b", before) or _NOT_A_RATIO.search(before.strip()):
            return False
        return bool(near and (far or len(right.phrase) <= _FEW))
    return bool(near and far)


def _keep_enumeration(connectors: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
    """Return the connectors of a sum; commas only if "and" or the like ends their list."""
    ends = [one.start() for one in connectors if _word(one) != ","]
    last = max(ends, default=-1)
    listed = [one for one in connectors if _word(one) != "," or one.start() < last]
    words = [len(read_operand(text[a.end() : b.start()]).phrase) for a, b in pairwise(listed)]
    long = next((place + 1 for place in reversed(range(len(words))) if words[place] > _LONG_ITEM), 0)
    return listed[long:]


def _without_head(parts: list[str]) -> list[str]:
    """Return the items of a list; a measure before the first comma is added to each of them."""
    head = read_operand(parts[0])
    rest = [read_operand(part) for part in parts[1:]]
    is_head = bool(head.matches) and head.matches[-1].end == len(head.phrase) and len(rest) > 1
    if is_head and not any(operand.matches for operand in rest):
        return [f"{part} {parts[0]}" for part in parts[1:]]
    return parts


def _share_measure(parts: Sequence[str], *, last_only: bool = False) -> list[str]:
    """Add a measure that only one operand names to the others: "Skyrizi and Rinvoq sales".

    Args:
        last_only: Whether only the last operand shares its measure, as in "did Skyrizi exceed Rinvoq in sales".
    """
    named = [read_operand(part) for part in parts]
    with_measure = [part for part, operand in zip(parts, named, strict=True) if operand.matches]
    if not with_measure or (last_only and not named[-1].matches):
        return list(parts)
    chosen = with_measure[-1] if named[-1].matches else with_measure[0]
    return [
        f"{part} {_read_shared(chosen, part)}" if operand.terms and not operand.matches else part
        for part, operand in zip(parts, named, strict=True)
    ]


def _read_shared(chosen: str, part: str) -> str:
    """Return the measures of an operand that another one shares: in "more on rent than on ads", ads are no rent."""
    opening = _PREPOSITION.match(part)
    spans = _phrases(chosen)
    if opening is not None:
        spans = [(start, end) for start, end in spans if not chosen[:start].endswith(f"{opening[1]} ")]
    return " ".join(chosen[start:end] for start, end in spans)


def _word(connector: re.Match[str]) -> str:
    return re.sub(r"\s+", " ", connector[0].strip(" ,(-")) or ","


def _phrases(text: str) -> list[tuple[int, int]]:
    """Return the spans of lexicon phrases in a text."""
    spans = spans_of_terms(text)
    matches = read_lexicon().find(tuple(found for _, _, found in spans))
    return [(spans[match.start][0], spans[match.end - 1][1]) for match in matches]


def _names(text: str) -> bool:
    """Return whether a text names something measurable."""
    return bool(read_operand(text).terms)
