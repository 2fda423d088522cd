"""Chess moves: where may this piece go? Played at random, decided by the rules (after BIG-bench).

The form is that of chess state tracking in BIG-bench (Srivastava et al. 2022, arXiv:2206.04615) and
of the chess validity task of Du et al. 2023 (arXiv:2305.14325, section 3.2): the moves so far in
UCI notation, then the square of a piece of the side to move. Every square to which it may legally
go is right, as the ``chess`` library finds them. A question:

    Question(
        id="chess-moves-4-0-0",
        kind="square",
        text="A game of chess began with these moves, in UCI notation: e2e4 e7e5 g1f3 b8c6. "
        "It is White's turn. Name one square to which the piece on f1 may legally move.",
        answer=("a6", "b5", "c4", "d3", "e2"),
    )

An id has the number of moves played, the seed and the place in the draw, from 0.
"""

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Annotated

from msgspec import Meta

from moot.core.questions import Question
from moot.datasets.dataset import dataset


@dataset(kinds=("square",), licence="Apache-2.0", paper="arXiv:2305.14325, arXiv:2206.04615")
def chess_moves(
    *,
    moves: Annotated[
        int, Meta(ge=4, le=200, description="moves played before the question, both sides' counted")
    ] = 12,
    seed: int = 0,
) -> Iterator[Question]:
    """Legal destination squares of a piece in a game played at random."""
    draw = Random(f"chess-moves {moves} {seed}")  # noqa: S311 - a draw to repeat, not a secret
    seen: set[str] = set()
    for place in count():
        text, squares = _ask(draw, moves)
        while text in seen:
            text, squares = _ask(draw, moves)
        seen.add(text)
        yield Question(
            id=f"chess-moves-{moves}-{seed}-{place}", kind="square", text=text, answer=squares
        )


def _ask(draw: Random, moves: int) -> tuple[str, tuple[str, ...]]:
    """Play games until one is still open after so many moves; ask about one piece that can move."""
    import chess

    while True:
        board = chess.Board()
        for _ in range(moves):
            legal = sorted(board.legal_moves, key=chess.Move.uci)
            if not legal:
                break
            board.push(draw.choices(legal)[0])
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if legal:
            break
    start = draw.choices(sorted({move.from_square for move in legal}))[0]
    squares = {chess.square_name(move.to_square) for move in legal if move.from_square == start}
    played = " ".join(move.uci() for move in board.move_stack)
    side = "White" if board.turn == chess.WHITE else "Black"
    text = (
        f"A game of chess began with these moves, in UCI notation: {played}. It is {side}'s turn. "
        f"Name one square to which the piece on {chess.square_name(start)} may legally move."
    )
    return text, tuple(sorted(squares))
