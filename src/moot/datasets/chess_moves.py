"""Chess moves: where may this piece go? Played at random, decided by the rules (after BIG-bench).

The form is that of chess state tracking in BIG-bench (Srivastava et al. 2022, arXiv:2206.04615) and
of the chess validity task of Du et al. 2023 (arXiv:2305.14325, section 3.2): the moves so far in
UCI notation, then the square of a piece of the side to move. Every square to which it may legally
go is right. The library ``chess`` finds them (GPL-3.0 or later, so it is an extra). A question:

    Question(
        id="chess-moves-4-0-0",
        kind="square",
        text="A game of chess began with these moves, in UCI notation: e2e4 e7e5 g1f3 b8c6. "
        "It is White's turn. Name one square to which the piece on f1 may legally move.",
        answer=("a6", "b5", "c4", "d3", "e2"),
    )

An id has the number of moves played, the seed and the place in the draw, from 0.

The training part is another draw with as many moves. Its reasons say what the piece is, how it
reaches the first of its squares and why that move is legal.
"""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from moot.core.questions import Example, Question
from moot.datasets.dataset import dataset

if TYPE_CHECKING:
    import chess

Moves = Annotated[
    int, Meta(ge=4, le=200, description="moves played before the question, both sides' counted")
]


@dataset(
    kinds=("square",),
    licence="Apache-2.0",
    paper="arXiv:2305.14325, arXiv:2206.04615",
    needs="chess",
)
def chess_moves(*, moves: Moves = 12, seed: int = 0) -> Iterator[Question]:
    """Legal destination squares of a piece in a game played at random."""
    return (question for question, _ in _draws("chess-moves", moves, seed))


@chess_moves.training()
def explain_moves(*, moves: Moves = 12, seed: int = 0) -> Iterator[Example]:
    """Other draws, the first of the squares explained."""
    for question, (board, start) in _draws("chess-moves training", moves, seed):
        yield Example(question=question, reason=_explain(board, start, question.answers[0]))


Position = tuple["chess.Board", int]
"""A position, and the square of the piece that is asked about."""


def _draws(part: str, moves: int, seed: int) -> Iterator[tuple[Question, Position]]:
    """Yield the questions of a part without end, each once, with the position asked about."""
    draw = Random(f"{part} {moves} {seed}")  # noqa: S311 - a draw to repeat, not a secret
    seen: set[str] = set()
    while True:
        text, squares, position = _ask(draw, moves)
        if text not in seen:
            name = f"{part.replace(' ', '-')}-{moves}-{seed}-{len(seen)}"
            seen.add(text)
            yield Question(id=name, kind="square", text=text, answer=squares), position


def _ask(draw: Random, moves: int) -> tuple[str, tuple[str, ...], Position]:
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
    text = word_question(played, chess.square_name(start), white=board.turn)
    return text, tuple(sorted(squares)), (board, start)


def word_question(played: str, square: str, *, white: bool) -> str:
    """The question where a piece may go.

    Args:
        played: the moves so far in UCI notation, spaces between them; at least one.
        square: where the piece stands.
        white: whether it is White's turn.
    """
    return (
        f"A game of chess began with these moves, in UCI notation: {played}. "
        f"It is {SIDES[white]}'s turn. "
        f"Name one square to which the piece on {square} may legally move."
    )


SIDES = {True: "White", False: "Black"}

MANNERS = {
    "pawn": "moves one square forward, two from where it began, and takes diagonally forward",
    "knight": "leaps two squares one way and one across it",
    "bishop": "moves along diagonals as far as they are free",
    "rook": "moves along ranks and files as far as they are free",
    "queen": "moves along ranks, files and diagonals as far as they are free",
    "king": "moves one square in any direction, or castles by two towards a rook",
}


def _explain(board: "chess.Board", start: int, target: str) -> str:
    """Return a reason: which piece it is, how it reaches the target, and that its king is safe."""
    import chess

    end = chess.parse_square(target)
    move = next(m for m in board.legal_moves if (m.from_square, m.to_square) == (start, end))
    side, piece = SIDES[board.turn], chess.piece_name(board.piece_type_at(start) or chess.PAWN)
    between = sorted(chess.SquareSet.between(start, end), key=start.__sub__, reverse=start < end)
    way = ", ".join(chess.square_name(square) for square in between)
    over = f"over {way}, where nothing stands, " if way else ""
    what = "which is empty"
    if board.is_capture(move):  # a pawn taken in passing does not stand on the target
        taken = chess.piece_name(board.piece_type_at(end) or chess.PAWN)
        passing = " in passing" if board.is_en_passant(move) else ""
        what = f"where it takes {SIDES[not board.turn]}'s {taken}{passing}"
    return (
        f"The piece on {chess.square_name(start)} is {side}'s {piece}. A {piece} {MANNERS[piece]}. "
        f"From {chess.square_name(start)} it comes {over}to {target}, {what}. "
        f"{side}'s king is not in check then, so the move is legal."
    )
