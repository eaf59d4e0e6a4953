"""A made-up document with any number of tables, like a filing that has to be read completely."""

import random

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document

_SUBJECTS = (
    "net revenue", "cost of sales", "gross profit", "research and development", "selling and marketing",
    "general and administrative", "depreciation and amortization", "operating income", "interest expense",
    "interest income", "income before taxes", "provision for income taxes", "net income", "accounts receivable",
    "inventories", "prepaid expenses", "property and equipment", "goodwill", "intangible assets", "accounts payable",
    "accrued liabilities", "deferred revenue", "long-term debt", "retained earnings", "treasury stock",
    "total current assets", "total assets", "total liabilities", "capital expenditures", "dividends paid",
)  # fmt: skip
"""Line labels that filings repeat in many tables."""
_KINDS = (
    "domestic", "foreign", "wholesale", "retail", "deferred", "current", "segment", "hedged", "leased", "acquired",
    "restructured", "pension", "licensed", "consolidated", "unallocated",
)  # fmt: skip
_SYLLABLES = "bar cor den fal gar hol kin lum mar nor pel quin ros sal tor ven wes yar zel thor".split()
_TOPICS = ("operations", "cash flows", "segment results", "income taxes", "leases", "debt", "stock options", "pensions")


def many_tables(tables: int, seed: int = 13) -> Document:
    """Return a document of made-up tables with sentences before and after each.

    A table has 15 to 30 rows and 3 to 5 years. Some lines are in most tables, like totals and taxes in a filing; others
    are in one table only.

    Args:
        seed: Equal seeds give equal documents.
    """
    chance = random.Random(seed)
    grids = [_grid(chance, n) for n in range(tables)]
    return _document(f"MADE/2019/tables_{tables}", grids, [_sentences(chance, n) for n in range(tables)])


def _document(name: str, grids: list[list[list[str]]], texts: list[list[str]]) -> Document:
    """Return the document, with each table in its own note between the two halves of its sentences."""
    parts: list[DocumentPart] = []
    for note, (grid, sentences) in enumerate(zip(grids, texts, strict=True), start=1):
        middle = len(sentences) // 2
        before, after = (ParagraphPart(tuple(cut)) for cut in (sentences[:middle], sentences[middle:]))
        parts += [HeadingPart(f"Note {note}"), before, TablePart(grid), after]
    return assemble(name, parts)


def _grid(chance: random.Random, table: int) -> list[list[str]]:
    years = [str(2019 - n) for n in range(chance.randint(3, 5))]
    lines = chance.sample(_SUBJECTS, 10)
    kinds = chance.sample(_KINDS, 3)
    lines += [f"{kind} {line}" for kind in kinds for line in chance.sample(_SUBJECTS, chance.randint(2, 6))]
    lines += [f"{_name(chance)} {chance.choice(_SUBJECTS)}" for _ in range(chance.randint(1, 4))]
    lines = list(dict.fromkeys(lines))[:30]
    return [["( in millions )", *years], *([line, *(_amount(chance) for _ in years)] for line in lines)]


def _amount(chance: random.Random) -> str:
    amount = round(chance.lognormvariate(5, 2), 1)
    return f"( {amount:,} )" if chance.random() < 0.1 else f"$ {amount:,}"


def _name(chance: random.Random) -> str:
    """Return a made-up name of a region, plan or company; most such names are in one table only."""
    return "".join(chance.sample(_SYLLABLES, 3))


def _sentences(chance: random.Random, table: int) -> list[str]:
    topic, place = chance.choice(_TOPICS), chance.choice(_KINDS)
    announced = [
        f"the following table summarizes the {place} {topic} of the company and of {_name(chance)} , note {table + 1} :"
    ]
    around = [_sentence(chance) for _ in range(10)]
    return [*around[:4], *announced, *around[4:]]


def _sentence(chance: random.Random) -> str:
    one, other = chance.sample(_SUBJECTS, 2)
    kind, name = chance.choice(_KINDS), _name(chance)
    first, second, share = chance.randint(10, 900), chance.randint(10, 900), chance.randint(1, 60)
    return chance.choice(
        (
            f"{kind} {one} increased from ${first} million in 2018 to ${second} million in 2019 , or {share}% .",
            f"as of december 31 , 2019 , {kind} {other} of {name} was ${first} million .",
            f"the company entered into an agreement with {name} under which {one} and {other} are shared equally .",
            f"see the notes on {kind} {one} for more about these amounts and their recognition by {name} .",
            f"management believes that {one} will be sufficient to meet the needs of {kind} {other} next year .",
        )
    )
