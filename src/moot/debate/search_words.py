"""Search words: the words of a text as a search compares them, in scripts of all kinds."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

SPACELESS = r"\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts without spaces between words: Thai, Lao, Khmer, Chinese and Japanese."""
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"
_TOKEN = re.compile(rf"[{SPACELESS}]+|(?:(?![{SPACELESS}])[\w{_MARKS}])+")
_SCRIPTS = {
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "ARMENIAN": "armenian",
    "TAMIL": "tamil",
}
"""Snowball's stemmer of a script that is not Latin, by the beginning of its letters' names."""
_SAMPLE = 200_000
"""Characters by which the language of documents is told."""
_STOP_WORDS = {
    "english": "EN",
    "german": "GERMAN",
    "dutch": "DUTCH",
    "french": "FRENCH",
    "spanish": "SPANISH",
    "portuguese": "PORTUGUESE",
    "italian": "ITALIAN",
    "danish": "DANISH",
    "swedish": "SWEDISH",
    "norwegian": "NORWEGIAN",
}
"""The lists of ``bm25s`` by language."""


def guess_language(texts: Iterable[str]) -> str:
    """Return the language in Latin script whose stop words are most of the words; else English."""
    sample: list[str] = []
    size = 0
    for text in texts:
        sample += re.findall(r"[^\W\d_]+", text.casefold())
        size += len(text)
        if size > _SAMPLE:
            break
    counts = {name: sum(word in _stop_words(name) for word in sample) for name in _STOP_WORDS}
    return max(counts, key=lambda name: counts[name])


def split_words(text: str, language: str = "english") -> list[str]:
    """Return the words of a text as a search compares them: stems, without stop words.

    Scripts without spaces give each pair of neighbouring signs. Words in other scripts than Latin
    are stemmed by their script.

    Args:
        text: a passage, or a query.
        language: of words in Latin script, as ``guess_language`` names it.
    """
    words: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if re.match(f"[{SPACELESS}]", token):
            words += [token[at : at + 2] for at in range(max(len(token) - 1, 1))]
        elif token not in _stop_words(language):
            words.append(_stem(token, language))
    return words


@cache
def _stop_words(language: str) -> frozenset[str]:
    from bm25s import stopwords

    return frozenset(getattr(stopwords, f"STOPWORDS_{_STOP_WORDS[language]}"))


@cache
def _stemmer(language: str) -> Any:  # noqa: ANN401 -- of snowballstemmer, which has no types
    from snowballstemmer import stemmer

    return stemmer(language)


@lru_cache(maxsize=1 << 17)
def _stem(word: str, language: str) -> str:
    script = unicodedata.name(word[0], "").partition(" ")[0]
    named = language if script == "LATIN" else _SCRIPTS.get(script)
    return word if named is None else str(_stemmer(named).stemWord(word))
