"""The training parts: worked examples that are right, and none of them a test question."""

from collections.abc import Iterator

import chess
import pytest

from moot.core.errors import InputError
from moot.core.questions import Example, Question
from moot.datasets import library
from moot.datasets.dataset import dataset

ROWS = (
    b'{"question": "What do 600 pens cost?", '
    b'"answer": "One is $2.\\n600*2=<<600*2=1200>>1,200\\n#### 1,200"}\n'
    b'{"question": "And 4?", "answer": "4*2=<<4*2=8>>8 dollars\\n#### 8"}\n'
)


def test_taking_in_passing_and_castling_are_said_as_they_are():
    from moot.datasets.chess_moves import _explain

    passing = chess.Board("8/8/8/3pP3/8/8/8/K6k w - d6 0 1")
    assert "to d6, where it takes Black's pawn in passing." in _explain(passing, chess.E5, "d6")
    castling = chess.Board("7k/8/8/8/8/8/8/R3K3 w Q - 0 1")
    assert "over d1, where nothing stands, to c1, which" in _explain(castling, chess.E1, "c1")
    assert "or castles by two" in _explain(castling, chess.E1, "c1")
    promotion = chess.Board("7k/P7/8/8/8/8/8/K7 w - - 0 1")
    assert "to a8, which is empty." in _explain(promotion, chess.A7, "a8")


def test_the_training_file_of_gsm8k_is_read_without_its_marks(tmp_path):
    with pytest.raises(InputError) as caught:
        library.training("gsm8k")
    assert "its training part's files are missing" in str(caught.value)
    assert "'moot data add gsm8k PATH'" in str(caught.value)
    (tmp_path / "train.jsonl").write_bytes(ROWS)
    with pytest.raises(InputError, match=r"published train\.jsonl .* 4166206 bytes with SHA-256"):
        library.add("gsm8k", tmp_path / "train.jsonl")
    [kept] = library.add("gsm8k", tmp_path / "train.jsonl", force=True)
    assert (kept.path.name, kept.published) == ("train.jsonl", False)
    first, second = library.training("gsm8k")
    assert first == Example(
        question=Question(
            id="gsm8k-training-1", kind="number", text="What do 600 pens cost?", answer="1200"
        ),
        reason="One is $2.\n600*2=1,200",
    )
    assert second.reason == "4*2=8 dollars"
    with pytest.raises(InputError, match="its files are missing"):
        library.questions("gsm8k")  # the one file does not stand in for the other


def test_a_folder_may_have_the_training_file_or_not(shared_data, tmp_path):
    entry = {e.name: e for e in library.list_entries()}["gsm8k"]
    assert (entry.state, entry.training) == ("missing", "missing")
    [kept] = library.add("gsm8k", shared_data / "gsm8k")
    assert (kept.path.name, kept.published) == ("test.jsonl", True)
    (tmp_path / "test.jsonl").write_bytes(ROWS)
    (tmp_path / "train.jsonl").write_bytes(ROWS)
    kept = library.add("gsm8k", tmp_path, force=True)
    assert [each.path.name for each in kept] == ["test.jsonl", "train.jsonl"]
    training = {e.name: e.training for e in library.list_entries()}
    assert training["gsm8k"] == "other version"
    assert (training["starters"], training["ciar"]) == ("built in", "none")


def test_a_training_part_follows_the_parameters_it_names(own_names):
    @dataset(kinds=("text",), rows=1)
    def words(*, big: bool = False, other: int = 1) -> Iterator[Question]:
        """Words."""
        yield from ()

    @words.training()
    def worked(*, big: bool = False) -> Iterator[Example]:
        text = "WORD" if big else "word"
        yield Example(question=Question(id="w", kind="text", text=text, answer="w"))

    assert [e.question.text for e in library.training("words", big=True, other=3)] == ["WORD"]
    assert [e.question.text for e in library.training("words")] == ["word"]
    with pytest.raises(TypeError, match="words: its training part takes size"):

        @words.training()
        def sized(*, size: int = 0) -> Iterator[Example]:
            yield from ()
