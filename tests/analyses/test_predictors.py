"""What facts of the first round tell: planted ones are found, and none where there is none."""

from math import log2

import pytest

from moot.analyses.control_debates import Revision
from moot.analyses.predictors import (
    AGAINST,
    ALIKE,
    ENTROPY,
    HELPS,
    LARGEST,
    OUTCOMES,
    OWN,
    TOGETHER,
    _measure_outcome,
)
from support.recorded import analyse_sums

HARM = "harmful conformity"


def revise(first, revised, again=(), accuracy=1.0, confidences=None):
    return Revision(
        calls=tuple("abc"),
        first=tuple(first),
        revised=tuple(revised),
        again=tuple(again),
        confidences=confidences or (None,) * len(first),
        right=frozenset("R"),
        accuracy=accuracy,
        vote=1.0,
        again_vote=None,
        prompt_tokens=1,
        completion_tokens=1,
        turns=6,
    )


def read(outcome, alone, shown):
    return list(OUTCOMES[outcome][1]("q", alone, shown))


def test_an_agent_that_gives_up_a_right_answer_and_what_was_known_of_it():
    alone = revise("RWW", "RWW", "RWW", confidences=(0.25, 0.5, 0.75))
    [found] = read(HARM, alone, revise("RWW", "WWW"))
    entropy = -(log2(1 / 3) + 2 * log2(2 / 3)) / 3
    assert found.facts == {AGAINST: 2, ALIKE: 0, ENTROPY: pytest.approx(entropy), OWN: 0.25}
    assert found.outcome == 1
    useful = read("useful conformity", alone, revise("RWW", "WRW"))
    assert [(each.facts[AGAINST], each.facts[ALIKE], each.outcome) for each in useful] == [
        (1, 1, 1),
        (1, 1, 0),
    ]


def test_where_reading_helps_or_harms_the_verdict():
    wrong, right = revise("RWX", "RWX", accuracy=0.0), revise("RWX", "RWX")
    [helped] = read(HELPS, wrong, right)
    [harmed] = read(HELPS, right, wrong)
    assert (helped.outcome, harmed.outcome) == (1, -1)
    assert helped.facts == {LARGEST: 1, ENTROPY: pytest.approx(log2(3))}
    assert read(HELPS, revise([None] * 3, "RWX"), right) == []


def test_all_facts_together_are_measured_on_other_questions():
    from moot.analyses.predictors import PredictedCase, _is_fitted_on

    cases = [PredictedCase(f"q{n}", {AGAINST: float(n % 4)}, int(n % 4 == 3)) for n in range(60)]
    found = {each.fact: each for each in _measure_outcome(HARM, cases)}
    tested = [each for each in cases if not _is_fitted_on(each.question)]
    assert found[TOGETHER].cases == len(tested) < 60 == found[AGAINST].cases
    assert found[TOGETHER].auroc.mean == 1.0


def run(tmp_path, **knobs):
    options = "&".join(f"{name}={value}" for name, value in knobs.items())
    arms = [
        {"protocol": "exposure", "name": way, "shows": way, "repeats": way == "nothing"}
        for way in ("nothing", "stances", "reasons")
    ]
    sums = {"n": 150, "difficulty": 4}
    return analyse_sums(tmp_path, "predictors", f"simulated/people?{options}", arms, sums)


def shown(report):
    [found] = report.data
    return {(each.outcome, each.fact) for each in found.predictors if (each.p_holm or 1) <= 0.05}


STABLE = {"concentration": 1e6, "accuracy": 0.5}


def test_agents_that_follow_the_majority_are_foreseen_by_it(tmp_path):
    report = run(tmp_path, **STABLE, revise=-0.5, conformity=0.9)
    assert {(HARM, ALIKE), (HARM, TOGETHER)} <= shown(report)
    [found] = report.data
    by_fact = {each.fact: each for each in found.predictors if each.outcome == HARM}
    assert by_fact[ALIKE].auroc.high < 0.5 < by_fact[TOGETHER].auroc.low
    assert f"{ALIKE}: smaller where there is {HARM} (AUROC 0." in " ".join(report.findings)


def test_where_chance_alone_changes_answers_nothing_is_claimed(tmp_path):
    report = run(tmp_path, **STABLE, revise=-0.7, seed=2)
    assert shown(report) == set()
    assert "no fact of the first round is shown to tell" in report.findings[0]
