import ast
import operator
import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.datasets import library
from moot.datasets.arithmetic import arithmetic

SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
difficulties = st.integers(1, 4)
seeds = st.integers(-(2**40), 2**40)


def ask(difficulty, seed, n):
    return list(islice(arithmetic.read(difficulty=difficulty, seed=seed), n))


def expression(question):
    return question.text.removeprefix("What is the result of ").removesuffix("?")


def value(node):
    if isinstance(node, ast.BinOp):
        return SIGNS[type(node.op)](value(node.left), value(node.right))
    return ast.literal_eval(node)


@given(difficulties, seeds)
def test_every_answer_is_right(difficulty, seed):
    for question in ask(difficulty, seed, 30):
        assert question.kind == "number"
        assert question.answer == str(value(ast.parse(expression(question), mode="eval").body))


@given(difficulties, seeds, st.integers(1, 30))
def test_a_draw_can_be_repeated_and_a_longer_one_begins_with_it(difficulty, seed, n):
    questions = ask(difficulty, seed, 40)
    assert ask(difficulty, seed, n) == questions[:n]
    assert [q.id for q in questions] == [f"arithmetic-{difficulty}-{seed}-{i}" for i in range(40)]
    assert ask(difficulty, seed + 1, 40) != questions


@pytest.mark.parametrize(("difficulty", "different"), [(1, 100), (2, 8100), (3, 729)])
def test_no_question_comes_twice_and_all_of_them_come(difficulty, different):
    questions = ask(difficulty, 1, 2 * different)
    assert len(questions) == len({q.text for q in questions}) == different
    assert questions[-1].id == f"arithmetic-{difficulty}-1-{different - 1}"
    assert {q.text for q in ask(difficulty, 2, different)} == {q.text for q in questions}


@given(difficulties, seeds)
def test_every_equation_of_arithmetic_holds_and_the_last_gives_the_answer(difficulty, seed):
    examples = library.training("arithmetic", seed=seed, difficulty=difficulty)
    assert len(examples) == len({e.question.text for e in examples}) == 100
    for example in examples:
        sums = re.findall(r"([\d*+ -]+) = (-?\d+)", example.reason)
        assert sums
        for said, result in sums:
            assert value(ast.parse(said.strip(), mode="eval").body) == int(result)
        assert sums[-1][1] == example.question.answer
        [asked] = re.findall(r"of (.+)\?", example.question.text)
        assert str(value(ast.parse(asked, mode="eval").body)) == example.question.answer
