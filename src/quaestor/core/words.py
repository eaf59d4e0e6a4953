"""Tokenizers for words of questions, labels and sentences, and sets of words with little meaning."""

from functools import lru_cache

from quaestor.core.patterns import lazy_regex

# The tokenizers differ in what they keep together: stems are made from plain words, "s&p" and "year-end" are phrases,
# "and/or" is one word, and a model that searches for "long-term debt" may write it without the hyphen.

_WORD = lazy_regex(r"[a-z]+(?:'[a-z]+)?|\d+(?:,\d{3})*(?:\.\d+)?|[%$]")
_COMPOUND = lazy_regex(r"[a-z0-9$%&]+(?:[.,'&-][a-z0-9]+)*%?")
_NAME = lazy_regex(r"[a-z][a-z&'-]*[a-z]|[a-z]")
_TERM = lazy_regex(r"[a-z][a-z0-9&'./-]*[a-z0-9]|[a-z]|\d[\d.,/]*%?|&|[,;:?|()]")
_LABEL_WORD = lazy_regex(r"[a-z0-9&.%$']+|\[[a-z]+\]")
_CAPTION_WORD = lazy_regex(r"[a-z]+(?:&[a-z]+)*|[0-9]+(?:\.[0-9]+)?|%")
_SEARCH_WORD = lazy_regex(r"[a-z0-9&]+")
_IDENTIFIER_PART = lazy_regex(r"[a-z0-9]+")

NUMBER_WORDS = {
    word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), start=1)
}
"""Numbers from one to ten in words."""

SCALE_WORDS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
"""Powers of ten in words."""


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Return the words, the numbers and the signs `%` and `$` of a text in lower case.

    >>> words("The S&P's year-end value, in $: 1,000")
    ('the', 's', "p's", 'year', 'end', 'value', 'in', '$', '1,000')
    """
    return tuple(_WORD.findall(text.lower()))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the `words` of a lower-case text."""
    return [word.span() for word in _WORD.finditer(text)]


def compounds(text: str) -> tuple[str, ...]:
    """Return the words, with their hyphens and signs, and the numbers of a lower-case text.

    >>> compounds("the s&p's year-end value, in $: 1,000")
    ('the', "s&p's", 'year-end', 'value', 'in', '$', '1,000')
    """
    return tuple(_COMPOUND.findall(text))


def compound_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the `compounds` of a text."""
    return [word.span() for word in _COMPOUND.finditer(text)]


def names(text: str) -> tuple[str, ...]:
    """Return the alphabetic words of a lower-case text, including those with hyphens or ampersands.

    Quarters and indexes lose their number, as later questions refer to them: "q1" is `q`, "s&p500" is `s&p`.

    >>> names("the s&p500 at year-end q1")
    ('the', 's&p', 'at', 'year-end', 'q')
    """
    return tuple(_NAME.findall(text))


def terms(text: str) -> list[str]:
    """Return the words and punctuation of a lower-case text; words joined by a slash or a point are one.

    >>> terms("volume/weather, in the u.s (net)")
    ['volume/weather', ',', 'in', 'the', 'u.s', '(', 'net', ')']
    """
    return _TERM.findall(text)


def label_words(text: str) -> list[str]:
    """Return the words of a lower-case label; a tag in square brackets is one word.

    >>> label_words("income [loss], net of u.s. tax")
    ['income', '[loss]', 'net', 'of', 'u.s.', 'tax']
    """
    return _LABEL_WORD.findall(text)


def caption_words(text: str) -> list[str]:
    """Return the words, numbers and percent signs of a lower-case caption; all other characters separate words.

    >>> caption_words("sg&a, 4.5% of long-term sales")
    ['sg&a', '4.5', '%', 'of', 'long', 'term', 'sales']
    """
    return _CAPTION_WORD.findall(text)


def identifier_parts(text: str) -> list[str]:
    """Return the runs of letters and digits of a lower-case text, for building identifiers.

    >>> identifier_parts("s&p 500, year-end")
    ['s', 'p', '500', 'year', 'end']
    """
    return _IDENTIFIER_PART.findall(text)


@lru_cache(maxsize=1024)
def search_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the singular, each once; hyphens and points separate words.

    >>> search_words("Long-term debts, S&P debt")
    ('long', 'term', 'debt', 's&p')
    """
    return tuple(dict.fromkeys(singular(word) for word in _SEARCH_WORD.findall(text.casefold())))


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return a word without its plural ending."""
    if word.startswith("[") and len(word) > 2:
        return f"[{singular(word[1:-1])}]"
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


# Sets of words that hardly identify a thing. The larger sets extend the smaller ones.

SMALL_WORDS = frozenset("a an and at by for from in is of on or the to was were what which with".split())
"""Articles, prepositions and question words: the only words that a search drops from a model's query."""

STOP_WORDS = SMALL_WORDS | frozenset(
    "about also amount are as be been being between both can did do does during each had has have how into it its many "
    "much our over per period s same so such than that their them then there these they this those us value we year "
    "years".split()
)
"""Also pronouns, auxiliary verbs, and nouns that fit any number. All other words are stemmed."""

FUNCTION_WORDS = STOP_WORDS | frozenset(
    "account added after again all along among amounts annual april august average become becomes before beginning "
    "billion calculate change changed changes combined considering constitute convert converted correspond "
    "corresponding could december decline declined decrease decreased difference divided earlier end ending equal "
    "exactly february figure find first fiscal fluctuation following four give greater grew grow growth higher i if "
    "including increase increased january july june just know last later less lower march may me mean million minus "
    "month more multiplied my need net next no not november now number october one only original percent percentage "
    "please plus portion previous prior proportion quarter rate ratio relation represent respectively result second "
    "september share show start still sum tell thousand three through throughout time times total two values variation "
    "want when while will within would year-end you".split()
)
"""Also words of results, operations and dates. The other words of a question name a thing, not an earlier result."""

JOINING_WORDS = frozenset("of for from on to in and or & with under per related into at against".split())
"""Words inside the name of a thing ("provision for income taxes"), but not at its beginning or end."""

ARTICLES = frozenset("the a an its our their".split())
"""Words before the name of a thing, and after a joining word inside one."""

_IN_NAMES = frozenset(
    "added among amount amounts april august average calculate changes correspond corresponding december decline "
    "decrease difference equal exactly february figure find fluctuation give growth increase january july june know "
    "march me mean multiplied my need net november number october original percent percentage please portion "
    "proportion rate ratio result september share show still sum tell us value values variation want while "
    "year-end".split()
)
_NAMELESS = frozenset(
    "absolute accounted accounts adding ago and/or annually began billions came comes compared concerning date day "
    "days decimal dollar dollars down due e.g eight ended entire equivalent every excluding fall fell five full here "
    "hundred i.e it's larger listed made magnitude might millions months most net-change nine off other's out overall "
    "part percentages periods quarters recorded relative reported represented represents rise rose seven should shown "
    "sign since six smaller stated subsequent t ten third thousands together totals until up us$ usd varied vary wha "
    "what's whats where who whole whose without yearly yes your".split()
)
NAMELESS_WORDS = (FUNCTION_WORDS - _IN_NAMES) | JOINING_WORDS | ARTICLES | _NAMELESS
"""Words that neither name a thing nor are part of its name.

Function words that may be part of a name ("net income", "interest rate", "share price") are excluded. Relations
("represents", "compared"), magnitudes and words of time end a name and are included, although they are not function
words because they distinguish results.
"""

LABEL_FILLERS = frozenset("the of a an our its company's".split())
"""Words that may be ignored in labels; without "from" and "to", since a transfer from is not a transfer to."""

CAPTION_FILLERS = LABEL_FILLERS | frozenset(
    "and or in for on at by with as is are it this that we their company approximate approximately aggregate "
    "respective certain s".split()
)
"""Words that do not distinguish the lines of a statement, unlike "from", "to", "per" and "before"."""

PERIOD_FILLERS = frozenset("ended ending fiscal fy year years".split())
"""Words beside a period in a label."""

_MONTHS = "january february march april may june july august september october november december"
DATE_WORDS = PERIOD_FILLERS | frozenset(f"a an and as at by for from in of on or the to sept {_MONTHS}".split())
DATE_WORDS |= frozenset(month[:3] for month in _MONTHS.split())
"""Words of a label that is only a date: "for the years ended december 31"."""

PHRASE_BOUNDARIES = frozenset(
    "the our its a an that which had have has with by for in at from to on we it this these their as recorded "
    "recognized reported paid received than but or if when while include includes included including during under "
    "over between approximately about compared was were is are be been incurred following after before there "
    "consisted consists comprised primarily any above made receiving provide provides provided pay pays s one "
    "two three four five six seven eight nine ten million billion "
    "thousand increase decrease".split()
)
"""Words of running text before which a noun phrase cannot extend; "of" and "and" may be inside one."""

SENTENCE_STARTS = STOP_WORDS | frozenset(
    "accordingly additionally after all although amounts any based because before certain changes company "
    "consequently costs effective excluding following further furthermore he her his however i if including income "
    "management moreover most net no not other prior pursuant refer revenue revenues sales see she since some "
    "therefore through thus total under until upon when where while".split()
)
"""Words that usually begin a sentence rather than continue a name ("in the U.S. We ...", "of Ink Inc. Net ...")."""

TIME_WORDS = frozenset(
    "the a as of at in on for and to fiscal year years month months quarter period periods ended ending end week weeks "
    "day days three six nine twelve december june september march january fifty-two fifty-three due thereafter later "
    "beyond balance balances total".split()
)
"""Words of headings that name only a time or a total: "as of december 31", "due thereafter", "total"."""

PHRASE_JOINTS = frozenset("of for in on to from under with by through provided the our its their these this".split())
"""Phrase boundaries that may also occur inside a phrase and join its parts."""

PHRASE_LEADS = frozenset("a an the our its their these this that such certain and or &".split())
"""Leading words of a phrase that are not part of its name."""
