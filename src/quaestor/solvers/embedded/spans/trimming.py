"""Which words of a sentence answer a question: what is behind the words that the question has said already.

A sentence in which none is found is the answer as a whole.
"""

import re

from quaestor.core.words import compound_spans
from quaestor.documents.document import Sentence
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.questions.words_asked import AskedWords, words_behind
from quaestor.solvers.embedded.spans.finding import stems_said

Span = tuple[int, int]

_HOW_MUCH = r"(?:(?:primarily|mainly|principally|largely|partially|partly|mostly|substantially|chiefly|only)\s+)?"
_AFTER: dict[AskedWords, tuple[str, ...]] = {
    "cause": (
        rf"{_HOW_MUCH}(?:due (?:primarily |mainly )?(?:to|from)|attributable {_HOW_MUCH}to|attributed {_HOW_MUCH}to"
        rf"|driven {_HOW_MUCH}by|because"
        rf" of|caused by|(?:as )?(?:a|the) result of"
        r"|result(?:s|ed|ing)? from|owing to|related to|benefit\w* from|impacted (?:primarily |mainly )?by"
        r"|reflect(?:s|ed|ing))\s+",
    ),
    "meaning": (
        r"\b(?:represents?|means?|refers? to|(?:is|are) defined as|defined as|describes?|stands for|measures?"
        r"|indicates?)\s+",
        r"\b(?:is|are)\s+",
    ),
    "parts": (
        r"^(?:\(\w\)\s+)?included (?:in|among) .*?\b(?:is|are|was|were)\s+",
        r"\b(?:consist\w*|compris\w*|includ\w*|(?:is|are|was|were) (?:composed|made up))(?: of)?(?: primarily"
        r"| mainly| principally)?"
        r"(?: of)?:?\s+",
    ),
    "left_out": (r"\b(?:exclud\w+|does not include|do not include)\s+",),
    "way": (
        r"\b(?:defined|classified|recogni[sz]ed|recorded|reported|treated|accounted for|presented) as\s+",
        r"\b(?:by|through)\s+(?=\w+ing\b)",
        r"\b(?:is|are) (?:the|calculated as|computed as|equal to)\s+",
    ),
    "place": (r"\b(?:in|at|within|under|on)\s+",),
    "person": (r"\bby\s+",),
}
_FROM: dict[AskedWords, tuple[str, ...]] = {
    "cause": (
        rf"{_HOW_MUCH}\b(?:due (?:primarily |mainly )?(?:to|from)|because|attributable {_HOW_MUCH}to"
        rf"|attributed {_HOW_MUCH}to|driven"
        rf" {_HOW_MUCH}by|as a result of|result(?:ed|ing) from|owing to"
        r"|in order to|to (?:reduce|ensure|provide|reflect|achieve|avoid|allow|manage|hedge|align|support"
        r"|enable|meet|protect|better)"
        r"|caused by|for the purpose of|so that|since)\b",
    ),
    "way": (
        r"\b(?:based (?:up)?on|using|in accordance with|according to|on (?:a|an|the) \w+(?:[- ]\w+){0,2} basis"
        r"|to the|at the)\b",
    ),
    "time": (r"\b(?:when|if|once|upon|where|as soon as|at the time|prior to|after)\b",),
    "often": (
        r"\b(?:(?:at least )?(?:semi-?)?annually|quarterly|monthly|weekly|daily|(?:each|every) \w+(?: \w+)?|on"
        r" an? \w+ basis)",
    ),
}
_LINK = re.compile(
    r"\s*(?:(?:is|are|was|were|has|have|had|been|be|to|as|by|of|that|with|on|for|at|in|from)\b\s*)+", re.I
)
_SHOWS = (
    re.compile(
        r"\btables? (?:below |above )?(?:\w+ )?(?:sets? (?:forth|out)|show\w*|present\w*|summari[sz]\w*"
        r"|provid\w*|detail\w*|reflect\w*"
        r"|represent\w*|illustrat\w*|reconcil\w*|outlin\w*)\s+(?P<answer>.+?)(?:\s+(?:as follows|below))?\s*$",
        re.I,
    ),
    re.compile(
        r"^(?:\(?\w\)\s+)?(?:the following (?:is|are|was|were)\s+)?(?:an?\s+|the\s+)?(?P<answer>.+?),?\s+(?:is"
        r"|are|was|were|has been|have been)"
        r"\s+(?:as follows|shown|presented|summari[sz]ed|set (?:forth|out)|detailed|provided|reflected|included)\b",
        re.I,
    ),
    re.compile(
        r"^(?:\(?\w\)\s+)?(?:the\s+)?(?P<answer>.+?)\s+(?:consist\w*|compris\w*|(?:is|are|was|were) (?:composed"
        r"|comprised|made up))"
        r"(?: of)? the following",
        re.I,
    ),
    re.compile(r"\bfollowing (?:table )?(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(?P<answer>.+?)\s*$", re.I),
)
_ENDS = re.compile(r"(?<![\s.:;,])[\s.:;,]++$")
_MOST = 0.7
_GAP = 7
"""How many words may be between two words of the question for them to belong together."""
_MARK = re.compile(r"\s*(?:\(\s*\w{1,2}\s*\)\s*)?")
_ELLIPTIC = re.compile(
    r"(?:includes?|excludes?|represents?|consists?|comprises?|primarily|mainly|reflects?|relates?|refers?)\b", re.I
)
"""A sentence that begins with its verb, as footnotes do: it is the answer as it is."""
_CLAUSE = re.compile(r";\s|,\s(?:while|whereas|although)\b", re.I)
_WHY = re.compile(r"(?:and |but |so |then )*(?:why|how come|how so)\b|[^?]*, why\b|\w+ [^,]{0,30}, why\b")
_PAST = re.compile(r".*\b(?:when|since when) (?:did|was|were|has|have|had)\b")


def trim(sentence: Sentence, question: Question, asked: AskedWords) -> Span:
    """Return where in a sentence the answer begins and ends."""
    text = sentence.text
    end = len(_ENDS.sub("", text))
    if asked == "table":
        return _of_table(text, end)
    if asked == "often" and (found := _first(_FROM["often"], text, 0)):
        return found.span()
    if asked == "time" and _PAST.match(question.lowered) and (dated := _date(sentence)):
        return dated
    if asked == "person" and (named := _name(text, question)):
        return named
    begin = _MARK.match(text)
    whole = begin.end() if begin else 0
    start = None if _ELLIPTIC.match(text, whole) else _start(text, question, asked)
    if start is None or len(text[start:end].split()) < 1 + (asked == "rest"):
        return whole, end
    stop = _CLAUSE.search(text, start, end)
    return start, stop.start() if stop and len(text[start : stop.start()].split()) > 1 else end


def _start(text: str, question: Question, asked: AskedWords) -> int | None:
    said = _said(text, question)
    if asked == "cause" and _WHY.match(question.lowered):
        found = _first(_FROM["cause"], text, 0)
        return found.start() if found else None
    if asked == "ground" and (behind := words_behind(question.lowered)):
        forms = (rf"\b{re.escape(behind)}\s+",)
        found = _first(forms, text, said) or _first(forms, text, 0)
        if found:
            return found.end()
    if asked in ("way", "time") and (found := _first(_FROM[asked], text, said)):
        after = _first(_AFTER.get(asked, ()), text, said)
        return min(found.start(), after.end()) if after else found.start()
    # A verb may be said by the question itself: "what does it include?"
    begin = 0 if asked in ("cause", "meaning", "parts", "left_out") else said
    if asked in _AFTER and (found := _first(_AFTER[asked], text, begin)):
        return found.end()
    return _behind(text, _stretch(text, question))


def _first(forms: tuple[str, ...], text: str, start: int) -> re.Match[str] | None:
    for form in forms:
        if found := re.compile(form, re.I).search(text, start):
            return found
    return None


def _said(text: str, question: Question) -> int:
    """Return where a sentence has said most of the question's words that it says at all."""
    wanted = set(stems_said(question))
    places = [(end, wanted & set(stems(text[start:end].lower()))) for start, end in compound_spans(text.lower())]
    most = _MOST * len(set().union(*(own for _, own in places)))
    said: set[str] = set()
    for end, own in places:
        said |= own
        if said and len(said) >= most:
            return end
    return 0


def _stretch(text: str, question: Question) -> int:
    """Return where the first stretch of a sentence ends that keeps to the question's words."""
    wanted = set(stems_said(question))
    last = None
    for start, end in compound_spans(text.lower()):
        if wanted & set(stems(text[start:end].lower())):
            if last is not None and text[last:start].count(" ") > _GAP:
                break
            last = end
    return last or 0


def _behind(text: str, said: int) -> int | None:
    """Return where the words behind a place begin, without the verb and the preposition that lead to them."""
    link = _LINK.match(text, said)
    start = link.end() if link else said
    while start < len(text) and not (text[start].isalnum() or text[start] in "$\u20ac\u00a3\"'\u201c\u2018("):
        start += 1
    return start if start < len(text) else None


def _date(sentence: Sentence) -> Span | None:
    """Return the time that a sentence names, where it names one."""
    spans = [(start, end) for _, start, end in sentence.periods]
    return spans[0] if len(spans) == 1 else None


def _name(text: str, question: Question) -> Span | None:
    """Return a name: behind "by", or before the office that is asked for ("JANE DOE, Treasurer")."""
    if found := re.search(r"\bby ((?:the |our )?(?:[A-Z][\w.&-]*(?: (?:of|and|the))? ?)+)", text):
        return found.start(1), found.start(1) + len(found[1].rstrip())
    found = re.match(r"\s*((?:[A-Z][\w.-]+ ){1,4}[A-Z][\w.-]+)(?:, | (?:is|was|has|serves) )", text)
    return found.span(1) if found and not set(stems(found[1].lower())) & set(stems_said(question)) else None


def _of_table(text: str, end: int) -> Span:
    for form in _SHOWS:
        if found := form.search(text[:end]):
            start, stop = found.span("answer")
            return start, stop
    return 0, end
