"""Decision rules over recorded runs: the figures are right, and nothing is asked."""

import asyncio

import pytest

import moot
from moot.analyses.decision_rules import AppliedRule, RuleVerdicts, compare_rules
from moot.core.errors import InputError
from moot.core.questions import Question
from moot.debate.decision import find_rule
from moot.debate.recorded import RecordedVoters
from support.debates import stand

PICK = Question(id="q", kind="choice", text="?", choices=("a", "b", "c"), answer="A")


def put(*answers, confidences=()):
    """What a debate of these answers has for its rules."""
    views = stand(*answers, confidences=confidences)
    voters = object.__new__(RecordedVoters)
    voters.question, voters.said, voters.final, voters._judges = PICK, views, views, ()
    return voters


def apply(name, debates):
    verdicts = RuleVerdicts(AppliedRule(name, *find_rule(name)))
    for number, voters in enumerate(debates):
        verdicts.add((f"q{number}", 0), voters)
    return verdicts


def test_what_a_rule_decides_is_counted():
    debates = [put("A", "A", "B"), put("A", "B", "B"), put("A", "B", None), put(None, None, None)]
    plural = apply("plurality", debates)
    assert list(plural.right.values()) == [1, 0, 1, 0]
    assert (plural.ties, plural.undecided, plural.missing) == (1, 1, 0)
    assert (plural.margin, plural.margins) == (2, 3)
    assert (plural.stated, plural.voters) == (8, 12)
    absolute = apply("absolute-majority", debates)
    assert list(absolute.right.values()) == [1, 0, 0, 0]
    assert (absolute.undecided, absolute.ties) == (2, 0)
    assert plural.agree_with(absolute) == 3 / 4  # both have no answer to the last one


def test_where_something_is_missing_the_debate_is_left_out_of_the_pairs():
    debates = [
        put("A", "B", "B", confidences=(0.9, 0.2, 0.2)),
        put("B", "B", "A", confidences=(0.5, None, 0.9)),
        put("A", "A", "A", confidences=(0.5, 0.5, 0.5)),
    ]
    plural, weighted = apply("plurality", debates), apply("weighted", debates)
    assert (weighted.missing, weighted.stated, len(weighted.right)) == (1, 8, 2)
    [first, second] = compare_rules({"arm": [plural, weighted]})["arm"]
    assert (first.accuracy.n, second.accuracy.n, second.difference.questions) == (3, 2, 2)
    assert (second.difference.mean, second.differs) == (0.5, 0.5)
    assert first.difference.mean is None


def test_all_rules_of_all_arms_are_one_family():
    debates = [put("A", "B", "B", confidences=(0.9, 0.2, 0.2))] * 6
    rules = ("plurality", "weighted", "first-round", "borda")
    arms = {arm: [apply(rule, debates) for rule in rules] for arm in ("one", "two")}
    compared = compare_rules(arms)
    weighted = compared["one"][1].difference
    assert (weighted.p, weighted.p_holm) == (2 / 2**6, 4 * 2 / 2**6)  # borda is not tested
    assert compared["two"][3].difference.p is None


def test_rules_are_chosen_with_their_options_and_that_none_differs_is_a_result(tmp_path):
    study = {
        "name": "rules",
        "settings": {"model": "simulated/p?accuracy=1"},
        "datasets": [{"name": "arithmetic", "n": 20}],
        "arms": [{"protocol": "society-of-minds"}],
    }
    asyncio.run(moot.run(study, store=tmp_path))

    def analyse(*rules):
        return asyncio.run(moot.analyse("decisions", "rules", store=tmp_path, rules=[*rules]))

    [agreement] = analyse().tables[1].rows  # all that could be applied decide alike
    assert "trajectory" in agreement.cells[1]
    names = [
        row.cells[0] for row in analyse("supermajority?share=0.6", "last-k?k=3").tables[0].rows
    ]
    assert names == ["plurality", "supermajority?share=0.6", "last-k?k=3"]
    with pytest.raises(InputError, match="share = '2'"):
        analyse("supermajority?share=2")
