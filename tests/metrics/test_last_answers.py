"""Agreement in the end, and whether it is on what is right."""

import pytest

from moot.core.questions import Question
from moot.metrics.last_answers import (
    consensus,
    consensus_accuracy,
    measure_parsed_consensus,
    unanimous,
)
from moot.metrics.rounds import sweeps


@pytest.mark.parametrize(
    ("answers", "share"),
    [
        (("4", "4.0", "8/2"), 1.0),
        (("4", "5", "4"), 2 / 3),
        (("4", "5", "6"), 1 / 3),
        ((None, None, "4"), 1 / 3),
        ((None, None), 0.0),
        (("4",), None),
        ((), None),
    ],
)
def test_consensus_by_value_of_last_answers(debate, turn, answers, share):
    before = [turn(k + 1, k, 1, "1") for k in range(len(answers))]
    last = [turn(k + 10, k, 2, answer) for k, answer in enumerate(answers)]
    assert consensus(debate(*before, *last)) == (None if share is None else pytest.approx(share))


def test_a_judge_takes_no_part_in_the_consensus(debate, turn):
    transcript = debate(turn(1, 0, 1, "4"), turn(2, 1, 1, "5"), turn(3, 2, 1, "5", role="judge"))
    assert consensus(transcript) == 0.5


def test_letters_agree_whatever_their_case(debate, turn):
    choice = Question(id="q", kind="choice", text="Which?", choices=("x", "y"), answer="A")
    assert consensus(debate(turn(1, 0, 1, "A"), turn(2, 1, 1, "a"), question=choice)) == 1.0


def test_of_nodes_that_debate_again_the_last_sweep_counts(debate, turn, node):
    again = {"settings": {"sweeps": 3, "nodes": [{"name": "A"}, {"name": "B"}]}}
    first = [turn(1, 0, 1, "1", node="A"), turn(2, 1000, 1, "2", node="B")]
    nodes = [node("A", "1", 0), node("B", "2", 1)]
    once = debate(*first, nodes=nodes, **again)
    assert (consensus(once), sweeps(once)) == (0.5, 1)
    second = [turn(3, 2000, 1, "4", node="A.2"), turn(4, 3000, 1, "4.0", node="B.2")]
    nodes += [node("A", "4", 2, sweep=2), node("B", "4.0", 3, sweep=2)]
    twice = debate(*first, *second, nodes=nodes, **again)
    assert (consensus(twice), sweeps(twice)) == (1.0, 2)


@pytest.mark.parametrize(
    ("answers", "share", "all_same", "accuracy"),
    [
        (("4", "4.0", "8/2"), 1.0, 1.0, 1.0),
        (("4", "4.0", None), 1.0, 0.0, 1.0),
        (("4", "5", "4"), 2 / 3, 0.0, 1.0),
        (("5", "5.0", "4"), 2 / 3, 0.0, 0.0),
        (("4", "5"), 0.5, 0.0, None),
        (("4", "4", "5", "6"), 0.5, 0.0, None),
        (("4", None), None, 0.0, None),
        ((None, None, None), None, 0.0, None),
        (("4",), None, None, None),
    ],
)
def test_agreement_of_the_parsed_of_all_and_on_what_is_right(
    table, answers, share, all_same, accuracy
):
    transcript = table(*(["1", answer] for answer in answers))
    assert measure_parsed_consensus(transcript) == (None if share is None else pytest.approx(share))
    assert unanimous(transcript) == all_same
    assert consensus_accuracy(transcript) == accuracy


def test_a_consensus_is_not_right_or_wrong_where_nobody_knows(table):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    transcript = table(["yes"], ["Yes."], question=opinion)
    assert (consensus_accuracy(transcript), unanimous(transcript)) == (None, 1.0)


def test_the_wrong_judge_spoils_no_consensus(table):
    transcript = table(["4"], ["4"], ["5"], roles={2: "judge"}, verdict="5")
    assert [unanimous(transcript), consensus_accuracy(transcript)] == [1.0, 1.0]
