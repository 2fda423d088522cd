"""Embeddings of texts by WordLlama, in this process: near vectors for near meanings.

Its wheel carries a table of 32,000 word pieces in 256 dimensions (``l2_supercat``, 16 MB) and the
tokenizer that goes with it. The embedding of a text is the mean of its pieces, scaled to length 1.

moot reads these two files by itself and does not import ``wordllama``: that would set up the root
logger, load an HTTP client and pydantic for half a second, and look for the tokenizer in a folder
that the wheel does not have, to download it then. Nothing here touches the network.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from moot.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

DIMENSIONS = 256

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


def embed(texts: Sequence[str]) -> "NDArray[np.float32]":
    """Return the embeddings of texts; the dot product of two rows is their cosine, -1 to 1.

    A row depends only on its own text, to the last bit. The latest 16,384 rows are kept in memory
    (1 kB each), so that a pool of examples is embedded once. The first call loads the model.

    Args:
        texts: any number of texts, best in a language of the Latin script.

    Returns:
        A row of 256 numbers for each text, of length 1; zeros for a text without any word piece.

    Raises:
        InputError: when the extra ``embed`` is not installed.
    """
    import numpy as np

    rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        row[:] = _row(text)
    return rows


@lru_cache(maxsize=16_384)
def _row(text: str) -> "NDArray[np.float32]":
    import numpy as np

    row: NDArray[np.float32] = _model()[0].take(_split_pieces(text), axis=0).sum(axis=0)
    length = float(np.linalg.norm(row))
    return row / np.float32(length) if length > 0 else row


@lru_cache(maxsize=16_384)
def tokenize(text: str) -> Sequence[int]:
    """Return the numbers of a text's word pieces, by the tokenizer of the model.

    Raises:
        InputError: when the extra ``embed`` is not installed.
    """
    return _split_pieces(text)


_BETWEEN_WORDS = re.compile(r"(?<=[^ ]) (?=[^ ])")
_WHOLE = re.compile(r"▁|</?s>|<unk>")
"""What the tokenizer itself writes for a space or around a text; with it no word stands alone."""


def _split_pieces(text: str) -> list[int]:
    """Return the word pieces of a text: of each word apart, as no piece reaches into the next.

    Words come again, so a large text takes much less time than by the tokenizer at once.
    """
    words = [text] if _WHOLE.search(text) else _BETWEEN_WORDS.split(text)
    return [piece for word in words for piece in _tokenize_word(word)]


@lru_cache(maxsize=1 << 17)
def _tokenize_word(word: str) -> tuple[int, ...]:
    return tuple(_model()[1].encode(word, add_special_tokens=False).ids)


def check_installed() -> None:
    """Raise ``InputError`` when the extra ``embed`` is not installed."""
    _folder()


@cache
def _model() -> "tuple[NDArray[np.float32], Tokenizer]":
    """The table of word pieces, published in half precision, and the tokenizer."""
    import numpy as np

    folder = _folder()
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        table = load_file(folder / WEIGHTS)["embedding.weight"]
        return table.astype(np.float32), Tokenizer.from_file(str(folder / TOKENIZER))
    except (ImportError, FileNotFoundError, KeyError) as error:
        raise InputError(
            f"the embedding model is not whole ({error}); pip install --force-reinstall "
            "'moot[embed]'"
        ) from None


def _folder() -> Path:
    """Return the folder of the wheel, without importing it."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise InputError("the embedding model is not installed; pip install 'moot[embed]'")
    return Path(spec.origin).parent
