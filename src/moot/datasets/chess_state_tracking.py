"""Chess state tracking: where may this piece go, after these moves? (BIG-bench, 2022).

The task of arXiv:2206.04615 in its form ``synthetic_short``, one JSON object with a list of
``examples``: the moves so far in UCI notation and the square a piece moves from, with its targets.
A row of this form, though not one of theirs:

    {"input": "g1f3 g8f6 f3", "target": ["d4", "e5", "g1", "g5", "h4"]}

becomes ``Question(id="chess-state-tracking-1", kind="square", …, answer=("d4", "e5", …))``, in the
words of ``chess-moves``. Ids count the rows from 1.

What is right is decided by the rules: every square to which the piece may legally go, as the
``chess`` library finds them (GPL-3.0 or later, so an extra). In 996 rows these are the published
targets. In four the published list lacks the square of a legal castling move; that square is right
here. No published target is illegal, and a row of another version of the file that has one is an
error.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from moot.core.questions import Question
from moot.datasets.chess_moves import word_question
from moot.datasets.dataset import dataset
from moot.datasets.published import describe
from moot.datasets.records import json_list, make_row_error


class ChessRow(msgspec.Struct):
    """One of the examples."""

    input: str
    target: list[str]


@dataset(**describe("chess-state-tracking").registration)
def chess_state_tracking(path: Path) -> Iterator[Question]:
    """Legal destination squares of a piece, from BIG-bench."""
    for count, (line, row) in enumerate(json_list(path, ChessRow, key="examples"), start=1):
        *moves, start = row.input.split() or [""]
        try:
            squares, white = _find_targets(tuple(moves), start)
        except ValueError as error:  # of the library: what is no move, no square, or not legal
            raise make_row_error(path, line, f"`input`: {error}") from None
        if not moves or not squares or not set(row.target) <= set(squares):
            why = f"`target` has other squares than those {start} may legally go to"
            raise make_row_error(path, line, why)
        yield Question(
            id=f"chess-state-tracking-{count}",
            kind="square",
            text=word_question(" ".join(moves), start, white=white),
            answer=squares if len(squares) > 1 else squares[0],
        )


@lru_cache(maxsize=1024)  # the whole file, which several studies of one process may read
def _find_targets(moves: tuple[str, ...], start: str) -> tuple[tuple[str, ...], bool]:
    """Return where the piece may go after these moves, and whether it is White's turn."""
    import chess

    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    mask = chess.BB_SQUARES[chess.parse_square(start)]
    legal = board.generate_legal_moves(from_mask=mask)
    return tuple(sorted({chess.square_name(move.to_square) for move in legal})), board.turn
