"""Names of a document's company in questions, which are not search terms because the whole document is about it."""

import re
from collections.abc import Iterator, Mapping

from quaestor.core.caching import BoundedCache
from quaestor.core.patterns import lazy_regex
from quaestor.core.words import FUNCTION_WORDS, SMALL_WORDS
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document, Paragraph, SectionHeading
from quaestor.documents.table import Table

COVER = 80
"""Number of blocks at the start of a document in which the company's name is sought."""
_LONGEST = 60
_LEGAL = r"inc|corp|corporation|company|co|plc|ltd|limited|incorporated|n\.v|s\.a"
_LEGAL_NAME = lazy_regex(rf"(?:the\s+)?(?P<name>\S.*?),?\s+(?:{_LEGAL})\b\.?.*", re.IGNORECASE)
_CAPITALIZED = r"[A-Z][\w&.'\u2019-]{0,30}(?: [A-Z&][\w&.'\u2019-]{0,30}){0,4}"
_RELEASE = lazy_regex(
    rf"^(?P<name>{_CAPITALIZED}?) (?i:reports|announces)\b(?i:.{{0,120}}\bresults\b)"
    rf"|(?P<listed>{_CAPITALIZED}),? \((?:NYSE|NASDAQ|Nasdaq) ?: ?(?P<symbol>[A-Z]{{1,5}})\)"
)
"""How press releases name their company: in the headline, and with the listing of its shares."""
_HEADLINE = 300
_NO_NAME = lazy_regex(
    r"incorporated by|\bfiler\b|reporting company|growth company|commission|^the company\b|\d", re.IGNORECASE
)
_SYMBOL_HEADING = lazy_regex(r"\(?\b(?:trading|ticker) symbol(?:\(s\)|s)?\)?", re.IGNORECASE)
_SYMBOL = lazy_regex(r"[A-Z]{2,5}")
_LISTED = lazy_regex(r"\b([A-Z]{2,5}) (?:The )?(?:New York Stock Exchange|NYSE\b|(?i:nasdaq)\b)")
"""A symbol in a list of registered securities whose columns were lost, as in text of a PDF."""
_SMALL = SMALL_WORDS | {"&"}
_DOMAIN = lazy_regex(r"\.(?:com|net|org)$", re.IGNORECASE)
_LEAST = 3
_INITIALS = 3
_VERBS = frozenset(
    "have has had employ employs employed own owns owned pay paid spend spent make made earn earned report reported "
    "buy bought repurchase repurchased operate operates operated sell sold owe owes owed hold holds held expect "
    "expects generate generated invest invested lease leases leased use used issue issued get got record recorded "
    "deliver delivered produce produced open opened close closed acquire acquired give gave lose lost declare "
    "declared return returned grow grew run runs count counts worldwide overall today globally".split()
)
"""Verbs and adverbs that may follow a company's name without being part of a longer name."""
_BEHIND = lazy_regex(r"\s*(?:(?P<owner>['\u2019]s?(?!\w))|(?P<ends>$|[?.,;:!])|(?P<next>[\w&$]+))")
_ACTS = lazy_regex(r"\b(?:does|did|do|has|have|had|at)\s+$", re.IGNORECASE)
"""Text before a company's name in lower case: "how many people work at nord?"."""
_NAMES = BoundedCache[str, "re.Pattern[str] | None"](16)
_OWNERS = lazy_regex(r"\b(?:attributable|available|applicable) to\s+$", re.IGNORECASE)
"""Text before a company's name that is part of a line's name: "net income attributable to Nord"."""
_COVER_WORDS = BoundedCache[str, Mapping[str, frozenset[str]]](16)


def without_company(text: str, document: Document, *, one_company: bool = False) -> str:
    """Return a question with the company's name replaced by "the company", if it is unambiguous.

    Args:
        document: The document asked about; for files of several companies the question is unchanged.
        one_company: Whether the document, or the given excerpt, is about one company regardless of the number of files.
    """
    whole = document if one_company else document.whole or document
    name = _NAMES.get(whole.digest, lambda: _name_pattern(whole, one_company=one_company))
    if name is None:
        return text
    found = text
    for match in reversed(list(name.finditer(text))):
        if not _is_whole_name(text, match):
            continue
        found = f"{found[: match.start()]}the company{found[match.end() :]}"
    return found


def _is_whole_name(text: str, match: re.Match[str]) -> bool:
    """Whether a match is neither part of a longer name nor an ordinary word."""
    behind = _BEHIND.match(text, match.end())
    if behind is None or _OWNERS.search(text[: match.start()]):
        return False
    following = behind["next"]
    if match[0].islower() and " " not in match[0] and _ACTS.search(text[: match.start()]) is None:
        return False
    return following is None or (following.islower() and (following in _VERBS or following in FUNCTION_WORDS))


def _name_pattern(document: Document, *, one_company: bool) -> "re.Pattern[str] | None":
    """Return a pattern for the company's names in questions, longest first; None if there is no name on the cover."""
    names: set[str] = set()
    for name in cover_names(document) if one_company or len(files_of(document)) < 2 else ():
        words = _DOMAIN.sub("", name).split()
        # A company may be called by the first words of its name or by its initials.
        names |= {" ".join(words[:size]) for size in range(1, len(words) + 1) if words[size - 1].lower() not in _SMALL}
        large = [word for word in words if word.lower() not in _SMALL - {"&"}]
        if len(large) >= _INITIALS:
            names.add("".join(word[0] for word in large))
    names = {name for name in names if len(name) >= _LEAST}
    if not names:
        return None
    forms = "|".join(_name_form(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<![\w&'\u2019-])(?:the )?(?:{forms})(?:,? (?:{_LEGAL})\b\.?)?(?![\w&-])", re.IGNORECASE)


def _name_form(name: str) -> str:
    words = (re.escape(word.replace("\u2019", "'")).replace("'", "['\u2019]?") for word in re.split(r"[\s-]+", name))
    return r"[\s-]+".join(words)


def may_be_of_one_company(document: Document, one: str, other: str) -> bool:
    """Return whether two files may be of the same company; not if the names on their covers have no common word.

    Args:
        document: The combined document; for an excerpt its whole document is used.
        one: Name of a file as in `combining.files_of`.
    """
    whole = document.whole or document
    names = _COVER_WORDS.get(whole.digest, lambda: {file: _words_on_cover(whole, file) for file in files_of(whole)})
    first, second = names.get(one, frozenset()), names.get(other, frozenset())
    return not first or not second or not first.isdisjoint(second)


def _words_on_cover(document: Document, file: str) -> frozenset[str]:
    names = cover_names(document, file)
    return frozenset(word for name in names for word in name.lower().split() if word not in _SMALL)


def cover_symbols(document: Document) -> Iterator[str]:
    """Yield the trading symbols on the cover of a document."""
    are_listed = False
    for block in document.blocks[:COVER]:
        yield from (found["symbol"] for found in _releases_in(block.content) if found["symbol"])
        if isinstance(block.content, Table):
            for column in zip(*block.content.cells, strict=True):
                texts = [cell.text.strip() for cell in column]
                if any(map(_SYMBOL_HEADING.search, texts)):
                    symbols = (_SYMBOL_HEADING.sub("", text).strip() for text in texts)
                    yield from (symbol for symbol in symbols if _SYMBOL.fullmatch(symbol))
        for text in _texts_of(block.content):
            are_listed = are_listed or bool(_SYMBOL_HEADING.search(text))
            if are_listed:
                yield from _LISTED.findall(text)


def cover_names(document: Document, file: str = "") -> Iterator[str]:
    """Yield the company names on the cover of a document, without "Inc." and similar."""
    paths = {section.id: section.path for section in document.sections}
    blocks = [block for block in document.blocks if not file or paths[block.section][:1] == (file,)]
    for block in blocks[:COVER]:
        for found in _releases_in(block.content):
            match = _LEGAL_NAME.fullmatch(name := found["name"] or found["listed"])
            yield match["name"] if match else name
        for text in _texts_of(block.content):
            match = _LEGAL_NAME.fullmatch(text.strip()) if len(text) <= _LONGEST and not _NO_NAME.search(text) else None
            if match and all(
                word[0].isupper() or word.lower() in _SMALL or word[1:2].isupper() for word in match["name"].split()
            ):
                yield match["name"]


def _texts_of(content: SectionHeading | Paragraph | Table) -> list[str]:
    match content:
        case SectionHeading(text=text):
            return [text]
        case Paragraph(sentences=sentences):
            return [sentence.text for sentence in sentences]
        case _:
            return []


def _releases_in(content: SectionHeading | Paragraph | Table) -> Iterator[re.Match[str]]:
    """Yield mentions of a company in the style of press releases."""
    return (found for text in _texts_of(content) if (found := _RELEASE.search(text[:_HEADLINE].strip())))
