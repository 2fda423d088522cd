import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library

ROW = {"input": "g1f3 g8f6 f3", "target": ["d4", "e5", "g1", "g5", "h4"]}


@pytest.fixture
def add(lay_in):
    def add(*rows, **more):
        text = json.dumps({"name": "t", "examples": rows} | more, indent=1)
        lay_in("chess-state-tracking", {"task.json": text})

    return add


def test_a_row_becomes_a_question(add):
    add(ROW, {"input": "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1", "target": ["e2", "f1"]})
    knight, king = library.questions("chess-state-tracking")
    assert knight.kind == "square"
    assert knight.answer == ("d4", "e5", "g1", "g5", "h4")
    assert knight.text == (
        "A game of chess began with these moves, in UCI notation: g1f3 g8f6. "
        "It is White's turn. Name one square to which the piece on f3 may legally move."
    )
    assert king.answer == ("e2", "f1", "g1")


@pytest.mark.parametrize(
    "row",
    [
        {"input": "g1f3 g8f6 f3", "target": ["d4", "a8"]},  # no move of a knight
        {"input": "g1f3 g8f6 f6", "target": []},  # it is not its turn
        {"input": "g1f3 g8f6 g1", "target": []},  # an empty square
        {"input": "g1f3 g1f3 f3", "target": ["d4"]},  # a move that is not legal
        {"input": "g1f3 what f3", "target": ["d4"]},
        {"input": "e2", "target": ["e3", "e4"]},  # no move was played
        {"input": "g1f3 g8f6 f3"},
    ],
)
def test_a_damaged_row_is_named_by_its_line(add, row):
    add(ROW, row)
    line = json.dumps({"name": "t", "examples": [ROW]}, indent=1).count("\n")
    with pytest.raises(InputError, match=rf"task\.json, line {line}: "):
        library.questions("chess-state-tracking")
