"""Words of texts: as they are written, and those that mean little."""

from functools import lru_cache

from quaestor.core.patterns import lazy_regex

# Words of questions, labels and sentences: how a text is cut into them, their singular, the numbers among them.
#
# They differ in what they hold together, and each is needed: a stem is made of a plain word, "s&p" and "year-end" are
# turns of phrase, "and/or" names one thing, and a model that looks for "long-term debt" may write it without the
# hyphen.

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
"""The small numbers in words."""

SCALE_WORDS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
"""The powers of ten in words, in the singular."""


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Return the words, numbers and the signs `%` and `$` of a text, in lower case and in order.

    >>> words("The S&P's year-end value, in $: 1,000")
    ('the', 's', "p's", 'year', 'end', 'value', 'in', '$', '1,000')
    """
    return tuple(_WORD.findall(text.lower()))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and the end of each of the `words` of a text of lower case."""
    return [word.span() for word in _WORD.finditer(text)]


def compounds(text: str) -> tuple[str, ...]:
    """Return the words of a text of lower case as they are written, with hyphens and signs, and its numbers.

    >>> compounds("the s&p's year-end value, in $: 1,000")
    ('the', "s&p's", 'year-end', 'value', 'in', '$', '1,000')
    """
    return tuple(_COMPOUND.findall(text))


def compound_spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and the end of each of the `compounds` of a text."""
    return [word.span() for word in _COMPOUND.finditer(text)]


def names(text: str) -> tuple[str, ...]:
    """Return the words of letters of a text of lower case, those with a hyphen or an ampersand in one.

    A quarter or an index without its number is what later questions call it: "q1" is `q`, "s&p500" is `s&p`.

    >>> names("the s&p500 at year-end q1")
    ('the', 's&p', 'at', 'year-end', 'q')
    """
    return tuple(_NAME.findall(text))


def terms(text: str) -> list[str]:
    """Return the words and marks of a text of lower case, words that a slash or a point joins in one.

    >>> terms("volume/weather, in the u.s (net)")
    ['volume/weather', ',', 'in', 'the', 'u.s', '(', 'net', ')']
    """
    return _TERM.findall(text)


def label_words(text: str) -> list[str]:
    """Return the words of a label of lower case, a sign in square brackets as one.

    >>> label_words("income [loss], net of u.s. tax")
    ['income', '[loss]', 'net', 'of', 'u.s.', 'tax']
    """
    return _LABEL_WORD.findall(text)


def caption_words(text: str) -> list[str]:
    """Return the words of a line's caption of lower case, its numbers and percent signs; all other marks part words.

    >>> caption_words("sg&a, 4.5% of long-term sales")
    ['sg&a', '4.5', '%', 'of', 'long', 'term', 'sales']
    """
    return _CAPTION_WORD.findall(text)


def identifier_parts(text: str) -> list[str]:
    """Return the runs of letters and digits of a text of lower case, of which a name for programs is made.

    >>> identifier_parts("s&p 500, year-end")
    ['s', 'p', '500', 'year', 'end']
    """
    return _IDENTIFIER_PART.findall(text)


@lru_cache(maxsize=1024)
def search_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the singular, each once, in their order; hyphens and points part words.

    >>> search_words("Long-term debts, S&P debt")
    ('long', 'term', 'debt', 's&p')
    """
    return tuple(dict.fromkeys(singular(word) for word in _SEARCH_WORD.findall(text.casefold())))


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return a word without its plural ending; words that are no plural stay."""
    if word.startswith("[") and len(word) > 2:
        return f"[{singular(word[1:-1])}]"
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


# Words that hardly show which thing is meant: one base set, and for each reader what it adds and why.
#
# A word is in the first set that it belongs to, and the larger sets are made of the smaller.

SMALL_WORDS = frozenset("a an and at by for from in is of on or the to was were what which with".split())
"""The base: articles, prepositions and the question itself. All that a search may drop of a model's own words."""

STOP_WORDS = SMALL_WORDS | frozenset(
    "about also amount are as be been being between both can did do does during each had has have how into it its many "
    "much our over per period s same so such than that their them then there these they this those us value we year "
    "years".split()
)
"""Also what points back, auxiliary verbs, and nouns that any number may have. A stem is made of all others."""

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
"""Also results, operations and dates. What is left of a question names a thing, and no result of an earlier turn."""

JOINING_WORDS = frozenset("of for from on to in and or & with under per related into at against".split())
"""Words inside the name of a thing: "provision for income taxes". They neither begin nor end one."""

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

Some function words may be part of one ("net income", "interest rate", "share price"), so they are not among these:
whether a noun for a result names one is told by the words around it. On the other hand a name ends at a relation
("represents", "compared"), a magnitude or a mark of time, which tell results apart and so are not function words.
"""

LABEL_FILLERS = frozenset("the of a an our its company's".split())
"""Words without which two labels are one. "from" and "to" are not among them: a transfer from is not a transfer to."""

CAPTION_FILLERS = LABEL_FILLERS | frozenset(
    "and or in for on at by with as is are it this that we their company approximate approximately aggregate "
    "respective certain s".split()
)
"""Words that do not tell one line of a statement from another. "from", "to", "per" and "before" do."""

PERIOD_FILLERS = frozenset("ended ending fiscal fy year years".split())
"""Words beside a period in a label."""

_MONTHS = "january february march april may june july august september october november december"
DATE_WORDS = PERIOD_FILLERS | frozenset(f"a an and as at by for from in of on or the to sept {_MONTHS}".split())
DATE_WORDS |= frozenset(month[:3] for month in _MONTHS.split())
"""Words of a label that is a date and nothing more: "for the years ended december 31"."""

PHRASE_BOUNDARIES = frozenset(
    "the our its a an that which had have has with by for in at from to on we it this these their as recorded "
    "recognized reported paid received than but or if when while include includes included including during under "
    "over between approximately about compared was were is are be been incurred following after before there "
    "consisted consists comprised primarily any above made receiving provide provides provided pay pays s one "
    "two three four five six seven eight nine ten million billion "
    "thousand increase decrease".split()
)
"""Words of running text at which the noun phrase before a number begins. "of" and "and" are inside one."""

SENTENCE_STARTS = STOP_WORDS | frozenset(
    "accordingly additionally after all although amounts any based because before certain changes company "
    "consequently costs effective excluding following further furthermore he her his however i if including income "
    "management moreover most net no not other prior pursuant refer revenue revenues sales see she since some "
    "therefore through thus total under until upon when where while".split()
)
"""Words that begin a sentence more often than they go on with a name ("in the U.S. We ...", "of Ink Inc. Net ...")."""

TIME_WORDS = frozenset(
    "the a as of at in on for and to fiscal year years month months quarter period periods ended ending end week weeks "
    "day days three six nine twelve december june september march january fifty-two fifty-three due thereafter later "
    "beyond balance balances total".split()
)
"""Words of a heading that says no more than when: "as of december 31", "due thereafter", "total"."""

PHRASE_JOINTS = frozenset("of for in on to from under with by through provided the our its their these this".split())
"""Boundaries of a phrase that may stand inside of one: they join what is behind them to what is before."""

PHRASE_LEADS = frozenset("a an the our its their these this that such certain and or &".split())
"""Words before a phrase of running text that are not part of the name in it."""
