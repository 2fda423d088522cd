"""The embedding model, as its wheel carries it."""

import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from moot.models.embedding import TOKENIZER, tokenize

ALONE = """
import logging, sys

def refuse(event, args):
    if event.startswith("socket."):
        raise SystemExit(f"touched the network: {event} {args}")

sys.addaudithook(refuse)
import moot.models.embedding
assert not {"numpy", "tokenizers", "safetensors"} & set(sys.modules)
[row] = moot.models.embedding.embed(["Which animal barks?"])
assert not {"wordllama", "requests", "pydantic", "huggingface_hub", "socket"} & set(sys.modules)
assert not logging.getLogger().handlers
print(len(row), row.dtype)
"""

ABSENT = """
import sys
sys.modules[sys.argv[1]] = None
from moot.core.errors import InputError
from moot.models.embedding import embed
try:
    embed(["a"])
except InputError as error:
    print(error)
"""


def run(code, *arguments, **environment):
    command, env = [sys.executable, "-c", code, *arguments], {"PATH": "/usr/bin", **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.fixture
def embed():
    pytest.importorskip("wordllama")
    from moot.models.embedding import embed

    return embed


def test_it_opens_no_socket_loads_no_client_and_leaves_the_logger_alone(embed, tmp_path):
    done = run(ALONE, HOME=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "256 float32\n", "")
    assert not list(tmp_path.iterdir())  # no cache either


@pytest.mark.parametrize("package", ["wordllama", "safetensors", "tokenizers"])
def test_where_it_is_missing_the_error_says_what_to_install(package):
    done = run(ABSENT, package)
    assert "'moot[embed]'" in done.stdout
    assert done.stderr == ""


def test_rows_have_length_one_and_depend_on_their_own_text_alone(embed):
    import numpy as np

    texts = ["A dog barks.", "", "日本", "x" * 5000, "A dog barks.", " "]
    rows = embed(texts)
    assert (rows.shape, rows.dtype) == ((6, 256), np.float32)
    lengths = np.linalg.norm(rows, axis=1)
    assert np.allclose(lengths[[0, 2, 3, 4]], 1, atol=1e-6)
    assert not rows[1].any()
    assert (rows[0] == rows[4]).all()
    for text, row in zip(texts, rows, strict=True):
        assert (embed([text])[0] == row).all()
    assert embed([]).shape == (0, 256)
    kept = rows.copy()
    rows[:] = 0  # a caller cannot spoil what is remembered
    assert (embed(texts) == kept).all()


def test_it_is_what_its_authors_compute(embed):
    """The same vectors as WordLlama's own, given the tokenizer it would download."""
    code = (
        "import sys, pathlib, wordllama, numpy; from moot.models.embedding import embed;"
        "home = pathlib.Path(wordllama.__file__).parent;"
        "theirs = wordllama.WordLlama.load(cache_dir=home, disable_download=True);"
        "texts = ['A dog barks.', 'What is 2+2*3?', 'x'];"
        "print(numpy.abs(theirs.embed(texts, norm=True) - embed(texts)).max() < 1e-6)"
    )
    assert run(code).stdout == "True\n"


@cache
def whole_tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(Path(find_spec("wordllama").origin).parent / TOKENIZER))


@given(st.text(alphabet="  abcé漢Ж.\n1-▁<s>/unk", max_size=30))
@example("a  b   c")
@example(" <s> a </s>▁b")
def test_word_pieces_of_words_are_those_of_the_whole_text(text):
    assert list(tokenize(text)) == whole_tokenizer().encode(text, add_special_tokens=False).ids
