import re
from itertools import islice

import chess
import pytest

from moot.datasets.chess_moves import chess_moves


def ask(seed, n, moves=12):
    return list(islice(chess_moves.read(moves=moves, seed=seed), n))


@pytest.mark.parametrize("moves", [4, 13, 60, 200])
def test_every_answer_and_no_other_square_is_legal(moves):
    for question in ask(7, 10, moves):
        found = re.search(r": ([a-h1-8qrbn ]+)\. It is (\w+)'s .* on (\w\d) may", question.text)
        played, side, start = found.groups()
        board = chess.Board()
        for move in played.split():
            board.push_uci(move)  # raises if it is not legal
        assert len(board.move_stack) == moves
        assert side == ("White" if board.turn else "Black")
        legal = {
            square
            for number, square in enumerate(chess.SQUARE_NAMES)
            if board.color_at(number) != board.turn  # nobody takes a piece of one's own
            and any(board.is_legal(chess.Move.from_uci(start + square + as_)) for as_ in ("", "q"))
        }
        assert set(question.answers) == legal
        assert list(question.answers) == sorted(legal)
        assert question.kind == "square"


def test_no_question_comes_twice_and_the_draw_stays_the_same():
    questions = ask(0, 1200, moves=4)  # the 1198th came before
    assert len({q.text for q in questions}) == 1200
    assert questions[0].text == (
        "A game of chess began with these moves, in UCI notation: e2e4 c7c5 d2d3 g8f6. "
        "It is White's turn. Name one square to which the piece on f2 may legally move."
    )
    assert questions[0].answer == ("f3", "f4")
