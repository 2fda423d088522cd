"""Search words: the words of a text as a search compares them, in scripts of all kinds."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

SPACELESS = r"\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts without spaces between words: Thai, Lao, Khmer, Chinese and Japanese."""
_PAIRED = SPACELESS + r"\uac00-\ud7a3"
"""Those, and Korean, whose particles stand at the end of words: compared by pairs of signs."""
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"
_TOKEN = re.compile(rf"[{_PAIRED}]+|(?:(?![{_PAIRED}])[\w{_MARKS}])+")
_PAIRED_SIGN = re.compile(f"[{_PAIRED}]")
_LETTERS = re.compile(r"[^\W\d_]+")
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


def guess_language(texts: Iterable[str], usual: str = "english") -> str:
    """Return the language in Latin script whose stop words are most of the words.

    Args:
        texts: of which a sample is looked at.
        usual: the language where no other has more.
    """
    sample: Counter[str] = Counter()
    size = 0
    for text in texts:
        sample.update(_LETTERS.findall(text.casefold()))
        size += len(text)
        if size > _SAMPLE:
            break
    known, counts = _languages_of_words(), Counter[str]()
    for word in known.keys() & sample.keys():
        for name in known[word]:
            counts[name] += sample[word]
    return max([usual, *_STOP_WORDS], key=lambda name: counts[name])


def split_words(text: str, *languages: str) -> list[str]:
    """Return the words of a text as a search compares them: stems, without stop words.

    Scripts without spaces, and Korean, give each pair of neighbouring signs. Words in other scripts
    than Latin are stemmed by their script.

    Args:
        text: a passage, or a query.
        languages: of words in Latin script, as ``guess_language`` names them. A word has a stem in
            each, unless it is a stop word of any.
    """
    words: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if _PAIRED_SIGN.match(token):
            words += [token[at : at + 2] for at in range(max(len(token) - 1, 1))]
        else:
            words += _list_stems(token, languages)
    return words


@cache
def _languages_of_words() -> dict[str, list[str]]:
    """Return the languages of which each stop word is one; of English the longer list."""
    from bm25s.stopwords import STOPWORDS_EN_PLUS

    known: dict[str, list[str]] = {}
    for name in _STOP_WORDS:
        for word in STOPWORDS_EN_PLUS if name == "english" else _stop_words(name):
            known.setdefault(word, []).append(name)
    return known


@cache
def _stop_words(language: str) -> frozenset[str]:
    from bm25s import stopwords

    return frozenset(getattr(stopwords, f"STOPWORDS_{_STOP_WORDS[language]}"))


@cache
def _stemmer(language: str) -> Any:  # noqa: ANN401 -- of snowballstemmer, which has no types
    from snowballstemmer import stemmer

    return stemmer(language)


@lru_cache(maxsize=1 << 17)
def _list_stems(word: str, languages: tuple[str, ...]) -> list[str]:
    """Return the different stems of a word by each language; none of a stop word."""
    if any(word in _stop_words(language) for language in languages):
        return []
    script = unicodedata.name(word[0], "").partition(" ")[0]
    named = languages if script == "LATIN" else filter(None, [_SCRIPTS.get(script)])
    return list(dict.fromkeys(_stemmer(each).stemWord(word) for each in named)) or [word]
