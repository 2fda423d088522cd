"""A dataset may be described by a file instead of being read by code."""

from hashlib import sha256

import msgspec
import pytest

from moot.core.questions import Question
from moot.datasets import library
from moot.datasets.published import describe_dataset

ROWS = b'{"ask": "Which flies?", "a": "emu", "b": "owl", "right": 1}\n'
ABOUT = f"""
summary = "Birds."
kinds = ["choice"]
rows = 1
licence = "CC0-1.0"
source = "https://example.org/birds/v1"
first = 1

[columns]
question = "ask"
choices = ["a", "b"]
answer = "right"

[[files]]
path = "data/birds.jsonl"
sha256 = "{sha256(ROWS).hexdigest()}"
bytes = {len(ROWS)}

[[training]]
path = "more.jsonl"
sha256 = "{sha256(ROWS * 2).hexdigest()}"
bytes = {len(ROWS) * 2}
"""


@pytest.fixture
def about(tmp_path):
    path = tmp_path / "night-birds.toml"
    path.write_text(ABOUT)
    return path


def test_a_description_alone_makes_a_dataset(own_names, about, tmp_path):
    made = describe_dataset(about)
    assert (made.name, made.summary, made.licence) == ("night-birds", "Birds.", "CC0-1.0")
    assert [file.url for file in made.files] == ["https://example.org/birds/v1/data/birds.jsonl"]
    (tmp_path / "birds.jsonl").write_bytes(ROWS)
    (tmp_path / "more.jsonl").write_bytes(ROWS * 2)
    assert all(kept.published for kept in library.add("night-birds", tmp_path))
    [question] = library.questions("night-birds")
    assert question == Question(
        id="night-birds-1", kind="choice", text="Which flies?", choices=("emu", "owl"), answer="A"
    )
    ids = [example.question.id for example in library.training("night-birds")]
    assert ids == ["night-birds-training-1", "night-birds-training-2"]


def test_an_unknown_key_is_an_error(own_names, about):
    about.write_text("lisence = 'MIT'\n" + ABOUT)
    with pytest.raises(msgspec.ValidationError, match="lisence"):
        describe_dataset(about)
