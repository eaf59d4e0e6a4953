"""A question as its document would put it: words spelled as they are there, no company's name, periods outright.

What was asked is kept as asked; it is read by these words.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from quaestor.core.periods import with_periods_outright
from quaestor.questions.stems import stem
from quaestor.retrieval.company_name import without_company
from quaestor.retrieval.fiscal_years import in_fiscal_years
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.spelling import respelled


def normalize_questions(texts: Iterable[str], index: PlaceIndex) -> Mapping[str, str]:
    """Return what is meant by questions about a document, by how they are asked; of others nothing."""
    document = index.document
    is_known = partial(_is_known, index)
    spelled = {text: respelled(without_company(text, document), document, is_known) for text in texts}
    meant = {text: in_fiscal_years(with_periods_outright(said), document) for text, said in spelled.items()}
    return {text: said for text, said in meant.items() if said != text}


def _is_known(index: PlaceIndex, word: str) -> bool:
    (rarity,) = index.words.rarity({stem(word)}).values()
    return any(rarity)
