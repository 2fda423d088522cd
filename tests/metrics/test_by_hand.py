"""Metrics of small debates, counted by hand."""

import pytest

from moot.core.events import Closed, Failed, Opened, Transcript, Verdict
from moot.core.questions import Question
from moot.metrics.first_pool import read_pool
from moot.metrics.metric import measure
from moot.metrics.openings import opening_followed

QUESTIONS = {
    "opinion": Question(id="q2", kind="text", text="Is it good?"),
    "move": Question(id="q3", kind="square", text="Where to?", answer=("e4", "e5")),
    "letter": Question(id="q4", kind="choice", text="?", choices=("x", "y"), answer="A"),
}
CHANGES = "changed parsed-changed change-rate parsed-change-rate"
OF_ALL = "changed-of-all parsed-changed-of-all change-rate-of-all"
FLIPS = "wrong-to-right right-to-wrong kept-right kept-wrong"
FIRSTS = "unique-first-answers unique-parsed-first-answers first-diversity first-consensus"
AGENTS = "agent-accuracy agent-any-unparsed agent-last-unparsed answers-per-agent"
POOL = "all-wrong escape lost first-vote-accuracy drift"
LASTS = "parsed-consensus unanimous consensus-accuracy"
ROUNDS = "first-correct-round correct-rounds correct-rounds-share"
OTHERS = "relied-on-other bullied-by-other"
OTHERS_OF_ALL = "relied-on-other-of-all bullied-by-other-of-all"
GAINS = "gain-to-verdict gain-to-last"
ENDS = "unparsed failed"

# A debater's answers stand in a row; - is unparsed, and . is silence. 4 is right.
COUNTED = [
    ("4 5 | 4 4.0 | 6 8/2", CHANGES, "2 2 2/3 2/3"), ("4 5 4", CHANGES, "1 1 1 1"),
    ("4 -", CHANGES, "1 none 1 none"), ("- -", CHANGES, "0 none 0 none"),
    ("- 4 | 4 4 | 4 5", CHANGES, "2 1 2/3 1/2"), ("4 5 | 4", CHANGES, "1 1 1 1"),
    ("4 | 5", CHANGES, "none none none none"), ("4 4 | judge: 5 4", CHANGES, "0 0 0 0"),
    ("4 5 | 4 4.0 | 6 8/2", OF_ALL, "2 2 2/3"), ("4 - | 4 5", OF_ALL, "2 1 1"),
    ("- -", OF_ALL, "0 0 0"),
    ("4 5 | 4", OF_ALL, "1 1 1/2"),  # who spoke once is one that did not change
    ("4 | 5", OF_ALL, "0 0 0"), ("4 | -", OF_ALL, "0 0 0"), ("judge: 4", OF_ALL, "none none none"),
    ("5 99 4", FLIPS, "1 0 0 0"), ("- 99 4", FLIPS, "1 0 0 0"), ("4 99 5", FLIPS, "0 1 0 0"),
    ("4 99 -", FLIPS, "0 1 0 0"), ("4 99 4.00", FLIPS, "0 0 1 0"), ("5 99 6", FLIPS, "0 0 0 1"),
    ("- 99 -", FLIPS, "0 0 0 1"), ("consultant: 4 5", FLIPS, "0 1 0 0"),
    ("4 | 5", FLIPS, "none none none none"),  # who spoke once had no chance to change
    ("4 | 5 4", FLIPS, "1 0 0 0"), ("opinion yes no", FLIPS, "none none none none"),
    ("4 4 | 4.0 4 | 8/2 4", FIRSTS, "1 1 0 1"), ("4 4 | 5 4 | 6 4", FIRSTS, "3 3 1 1/3"),
    ("4 4 | 5 4 | 4 4", FIRSTS, "2 2 2/3 2/3"), ("4 4 | 4 4 | 5 4 | 5 4", FIRSTS, "2 2 2/3 1/2"),
    ("4 4 | - 4 | - 4", FIRSTS, "2 1 none 1/3"), ("4 4 | - 4 | 5 4", FIRSTS, "3 2 1 1/3"),
    ("- 4 | - 4", FIRSTS, "1 0 none 0"), ("4 4", FIRSTS, "1 1 none none"),
    ("4 | 5 | judge: 6", FIRSTS, "2 2 1 1/2"), ("5 4 | - 4.0 | 4 5", AGENTS, "2/3 1/3 0 5/3"),
    ("4 - | - -", AGENTS, "0 1 1 1/2"), ("4 4.0 8/2", AGENTS, "1 0 0 1"),
    ("5 6 5 | 4", AGENTS, "1/2 0 0 3/2"), ("4 | judge: -", AGENTS, "1 0 0 1"),
    ("judge: 4", f"{AGENTS} unparsed-replies", "none none none none 0"),
    ("opinion yes no", AGENTS, "none 0 0 2"), ("- | 4 | judge: -", "unparsed-replies", "1"),
    ("5 4 | 6 4 | 5 7 -> 4", POOL, "1 1 none 0 2/3"),
    ("5 6 | 6 6 | 5 6 -> 6", POOL, "1 0 none 0 0"),
    ("4 5 | 4 5 | 5 5 -> 5", POOL, "0 none 1 1 -2/3"),
    ("5 5 | 4 4 | 6 8/2 -> 4", POOL, "0 none 0 0 1/3"), ("- 4 | 4 - -> none", POOL, "0 none 1 1 0"),
    ("4 | 5 -> 4", POOL, "0 none 0 1 0"), ("4 5", POOL, "none none none none none"),
    ("4 | judge: 5", POOL, "none none none none none"),
    ("4 | 5 -> failed", POOL, "none none none none none"),
    ("opinion yes | no", POOL, "none none none none none"),
    ("1 4 | 1 4.0 | 1 8/2", f"consensus {LASTS}", "1 1 1 1"),
    ("1 4 | 1 5 | 1 4", f"consensus {LASTS}", "2/3 2/3 0 1"),
    ("1 4 | 1 5 | 1 6", "consensus", "1/3"), ("1 - | 1 - | 1 4", "consensus", "1/3"),
    ("1 - | 1 -", "consensus", "0"), ("1 4", f"consensus {LASTS}", "none none none none"),
    ("1 4 | 1 4.0 | 1 -", LASTS, "1 0 1"), ("1 5 | 1 5.0 | 1 4", LASTS, "2/3 0 0"),
    ("1 4 | 1 5", LASTS, "1/2 0 none"), ("1 4 | 1 4 | 1 5 | 1 6", LASTS, "1/2 0 none"),
    ("1 4 | 1 -", LASTS, "none 0 none"), ("1 - | 1 - | 1 -", LASTS, "none 0 none"),
    ("4 | 5 | judge: 5", "consensus", "1/2"),
    ("4 | 4 | judge: 5 -> 5", "unanimous consensus-accuracy", "1 1"),
    ("letter A | a", "consensus", "1"),
    ("opinion yes | Yes.", "unanimous consensus-accuracy", "1 none"), ("4 4 4", ROUNDS, "1 3 1"),
    ("5 - 4", ROUNDS, "3 1 1/3"), ("4 5 8/2", ROUNDS, "1 2 2/3"),
    ("5 4 | 4 4", ROUNDS, "3/2 3/2 3/4"), ("5 4 | 5 6", ROUNDS, "2 1 1/2"),
    ("5 | -", ROUNDS, "none none none"), ("5 4 4 | 4", ROUNDS, "3/2 3/2 5/6"),
    ("5 | judge: 4", ROUNDS, "none none none"), ("opinion yes no", ROUNDS, "none none none"),
    ("5 4 | 4.0 4", f"{OTHERS} {OTHERS_OF_ALL}", "1/2 0 1/2 0"),
    ("5 4 | 6 4", OTHERS, "0 0"),  # both found it in the same round
    ("5 6 4 | 6 8/2 6", OTHERS, "1/2 0"),  # the other had it in between
    ("- 4 | 4 5", OTHERS, "1/2 1/2"), ("4 5 | 4 - | 5 5 | 5 5", OTHERS, "0 1/4"),
    ("4 5 4 | 5 5 5", OTHERS, "0 0"), ("5 4 5 | 4 4 4", OTHERS, "0 0"),
    ("5 4 4 | 5 5 5", OTHERS, "0 0"),  # it found that itself
    ("5 4 | 4", f"{OTHERS} {OTHERS_OF_ALL}", "1 0 1/2 0"),  # who spoke once is heard, not counted
    ("4 5 | 5 | 5 | 5", OTHERS_OF_ALL, "0 1/4"),
    ("5 | 4", f"{OTHERS} {OTHERS_OF_ALL}", "none none 0 0"),
    ("5 4 | judge: 4 4", "relied-on-other", "1"), ("5 5 | judge: 5 4", "relied-on-other", "0"),
    ("move a1 e4 | e5 e5", "relied-on-other", "0"),
    ("move a1 e4 | e4 e5", "relied-on-other", "1/2"),
    ("opinion yes no | no no", f"{OTHERS} {OTHERS_OF_ALL}", "none none none none"),
    ("5 4 | 6 7 6 -> 4", GAINS, "1 1"), ("5 4 | 6 7 6 -> 5", GAINS, "0 1"),
    ("4 5 | 6 7 6 -> none", GAINS, "-1 -1"), ("4 5 8/2 | 6 7 6 -> 4", GAINS, "0 0"),
    ("- - | 6 7 6 -> 4", GAINS, "1 0"), ("4 | 6 7 6 -> 5", GAINS, "-1 0"),
    ("4 4 -> failed", "gain-to-verdict", "-1"), ("opinion yes no", GAINS, "none none"),
    ("judge: 4", GAINS, "none none"), ("4 -> 4", f"accuracy {ENDS}", "1 0 0"),
    ("4 -> 8/2", "accuracy", "1"), ("4 -> 5", "accuracy", "0"),
    ("4 -> none", f"accuracy {ENDS}", "0 1 0"),
    ("4 -> failed", f"accuracy {ENDS} oracle-gap", "0 0 1 1"),
    ("opinion 4", "accuracy first-accuracy oracle-gap", "none none none"),
    ("move e4 -> e5", "accuracy", "1"), ("move e4 -> e4", "accuracy", "1"),
    ("move e4 -> e6", "accuracy", "0"), ("moderator: 4 | 5 4", "first-accuracy", "0"),
    (". 5 | 4", "first-accuracy", "0"),  # the first is the one on the first seat
    ("judge: 4", "first-accuracy", "none"), ("5 | 4 -> 5", "oracle-gap", "1"),
    ("5 | 6 -> 5", "oracle-gap", "0"), ("5 | 4 -> 4", "oracle-gap", "0"),
    ("4", "rounds sweeps", "1 none"),
]  # fmt: skip


def read(table, spec):
    """Build the debate that a row describes."""
    rows, roles, details = [], {}, {}
    said, _, verdict = spec.partition(" -> ")
    if (kind := said.partition(" ")[0]) in QUESTIONS:
        said, details["question"] = said.removeprefix(f"{kind} "), QUESTIONS[kind]
    if verdict == "failed":
        details["failed"] = True
    elif verdict:
        details["verdict"] = None if verdict == "none" else verdict
    for seat, row in enumerate(said.split(" | ")):
        role, colon, answers = row.rpartition(": ")
        if colon:
            roles[seat] = role
        rows.append([{"-": None, ".": ""}.get(each, each) for each in answers.split()])
    return table(*rows, roles=roles, **details)


def value_of(word):
    if word == "none":
        return None
    above, _, below = word.partition("/")
    return pytest.approx(int(above) / int(below or 1))


@pytest.mark.parametrize(("spec", "names", "values"), COUNTED)
def test_each_metric_of_one_debate(table, spec, names, values):
    expected = dict(zip(names.split(), map(value_of, values.split()), strict=True))
    found = measure(read(table, spec))
    assert {name: found[name] for name in expected} == expected


FAILED = {
    "accuracy": 0, "failed": 1, "unparsed": 0, "first-accuracy": 0, "oracle-gap": 0, "rounds": 0,
    "gain-to-verdict": 0, "gain-to-last": None, "consensus": None, "first-diversity": None,
    "unique-first-answers": None, "unique-parsed-first-answers": None, "first-consensus": None,
    "agent-accuracy": None, "agent-any-unparsed": None, "agent-last-unparsed": None,
    "answers-per-agent": None, "unparsed-replies": 0, "characters-per-reply": None,
    "removed-per-reply": None,
}  # fmt: skip


def test_a_debate_in_which_nobody_spoke(debate):
    found = measure(debate(failed=True))
    assert {name: found[name] for name in FAILED} == FAILED
    assert not any(name.startswith("round:") for name in found)


def test_who_speaks_about_the_debate_or_merges_it_is_no_debater(debate, turn):
    merging = ("judge", "summariser", "moderator", "aggregator", "evaluator", "role-assigner")
    turns = [
        turn(2 * k + n, k, n, answer, role=role)
        for k, role in enumerate(("mind", *merging))
        for n, answer in ((1, "5"), (2, "4"))
    ]
    found = measure(debate(*turns))
    assert [found[name] for name in FLIPS.split()] == [1, 0, 0, 0]


def test_of_two_turns_in_one_round_the_last_counts(debate, turn):
    found = measure(debate(turn(1, 0, 1, "4"), turn(2, 0, 1, "5"), turn(3, 0, 2, "4")))
    assert [found[name] for name in ROUNDS.split()] == [2, 1, 0.5]


def test_rounds_in_which_not_all_spoke_are_left_out_of_the_pool(table):
    pool = read_pool(read(table, "4 4 5 | 5 4 -> 4"))
    assert pool.shares == {1: 0.5, 2: 1.0}
    assert pool.votes == {1: 1.0, 2: 1.0}
    assert pool.last == (False, True)


def test_who_sits_in_another_node_is_not_heard(debate, turn):
    first = [turn(1, 0, 1, "5", node="A"), turn(2, 1000, 1, "4", node="B")]
    own = turn(3, 0, 2, "4", node="A")
    assert measure(debate(*first, own))["relied-on-other"] == 0.0
    assert measure(debate(*first, turn(4, 1, 1, "4", node="A"), own))["relied-on-other"] == 1.0


TWO_NODES = {"settings": {"sweeps": 3, "nodes": [{"name": "A"}, {"name": "B"}]}}


def test_of_nodes_that_debate_again_firsts_are_the_first_sweep_s_and_lasts_the_last(
    debate, turn, node
):
    said = [turn(1, 0, 1, "1", node="A"), turn(2, 1000, 1, "2", node="B")]
    nodes = [node("A", "1", 0), node("B", "2", 1)]
    once = measure(debate(*said, nodes=nodes, **TWO_NODES))
    assert (once["consensus"], once["sweeps"]) == (0.5, 1)
    said += [turn(3, 2000, 1, "4", node="A.2"), turn(4, 3000, 1, "4.0", node="B.2")]
    nodes += [node("A", "4", 2, sweep=2), node("B", "4.0", 3, sweep=2)]
    twice = measure(debate(*said, nodes=nodes, **TWO_NODES))
    assert (twice["consensus"], twice["sweeps"]) == (1.0, 2)
    assert [twice[name] for name in FIRSTS.split()] == [2, 2, 1, 0.5]
    assert measure(debate(failed=True, **TWO_NODES))["sweeps"] == 0
    assert measure(debate(*said, settings={"nodes": []}))["all-wrong"] is None


@pytest.mark.parametrize(
    ("verdicts", "agree"),
    [
        ([("A", "4", 1), ("B", "5", 1), ("A", "8/2", 2), ("B", "4", 2)], 1),
        ([("A", "4", 1), ("B", "4", 1), ("A", "5", 2), ("B", "4", 2)], 0),
        ([("A", None, 1), ("B", None, 1)], 0),
        ([("A", "4", 1)], 0),
        ([("A", "4", 1), ("B", "4", 1), ("B/inner", "5", 1)], 1),
        ([], 0),
    ],
)
def test_nodes_agree_by_their_verdicts_in_the_last_sweep(debate, turn, node, verdicts, agree):
    ends = [node(name, answer, k, sweep=sweep) for k, (name, answer, sweep) in enumerate(verdicts)]
    members = turn(1, 0, 1, "4"), turn(2, 1, 1, "5")  # that members differ is no matter
    assert measure(debate(*members, nodes=ends, **TWO_NODES))["nodes-agree"] == agree
    assert measure(debate(*members))["nodes-agree"] is None


NUMBER = Question(id="q", kind="number", text="?", answer="1/2")
SQUARE = Question(id="s", kind="square", text="?", answer="e4")
FAILS = Failed(kind="x", reason="y")


@pytest.mark.parametrize(
    ("question", "opening", "verdict", "value"),
    [
        (NUMBER, ("1/2",), "0.5", 1.0), (NUMBER, ("2",), "0.5", 0.0), (NUMBER, (), "0.5", None),
        (NUMBER, ("1/2",), None, 0.0), (NUMBER, ("1/2",), FAILS, 0.0), (NUMBER, (), FAILS, None),
        (SQUARE, ("a1", "e4", "h8"), "e4", 1.0), (SQUARE, ("a1", "b1", "h8"), "e4", 0.0),
    ],
)  # fmt: skip
def test_whether_the_verdict_is_a_value_that_was_put_forward(question, opening, verdict, value):
    begun = Opened(question=question, protocol="single", settings={}, pack="", opening=opening)
    end = verdict if verdict is FAILS else Closed(verdict=Verdict(answer=verdict))
    assert opening_followed(Transcript((begun, end))) == value
