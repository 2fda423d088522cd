"""The rule by which a way to spend less is worth it: claimed where it is, and not elsewhere."""

import pytest

import moot
from moot.analyses.adaptive import BETTER, CHEAPER, NO_GAIN, AdaptiveArm, _claim
from moot.analyses.analysis import analyse
from moot.core.results import Difference, Mean

HELPS = "simulated/helps?accuracy=0.9&concentration=0.25&truth_drift=0.6"
HELPS_NOT = "simulated/not?accuracy=0.7&concentration=2&guessed=1"


def gap(mean, low, high, p=0.001):
    return Difference(mean=mean, low=low, high=high, p=p, p_holm=p, pairs=9, questions=9)


def arm(**measured):
    return AdaptiveArm(dataset="d", arm="a", accuracy=Mean(mean=0.9), tokens=100, **measured)


SPARED = Mean(mean=0.4, low=0.3, high=0.5)
TAKES_MORE = Mean(mean=-0.4, low=-0.5, high=-0.3)
UNSURE = Mean(mean=0.1, low=-0.1, high=0.3)


@pytest.mark.parametrize(
    ("measured", "claim"),
    [
        ({"equal": gap(0.05, 0.01, 0.09)}, BETTER),
        ({"equal": gap(0.05, -0.01, 0.09)}, NO_GAIN),
        ({"equal": gap(0.05, 0.001, 0.09, p=0.06)}, NO_GAIN),
        ({"reference": gap(0.0, -0.01, 0.01), "saved": SPARED}, CHEAPER),
        ({"reference": gap(0.0, -0.011, 0.01), "saved": SPARED}, NO_GAIN),
        ({"reference": gap(0.02, 0.01, 0.03), "saved": TAKES_MORE}, NO_GAIN),
        ({"reference": gap(0.02, 0.01, 0.03), "saved": UNSURE}, NO_GAIN),
    ],
)
def test_a_gain_is_claimed_by_intervals_alone(measured, claim):
    assert _claim(arm(**measured), 0.01) == claim


def study(model, n, **gate):
    return {
        "name": "worth",
        "baseline": "self-consistency",
        "equal_budget": True,
        "analyses": ["adaptive"],
        "settings": {"model": model, "agents": 3, "rounds": 3},
        "datasets": [{"name": "arithmetic", "difficulty": 4, "n": n, "seed": 5}],
        "arms": [
            {"protocol": "self-consistency", "samples": 9},
            {"name": "always", "protocol": "society-of-minds"},
            {"protocol": "confidence-gate", **gate},
            {"protocol": "adaptive-consistency", "most": 9},
        ],
    }


@pytest.mark.parametrize("n", [60, pytest.param(250, marks=pytest.mark.soak)])
async def test_where_uncertainty_tells_when_to_debate_a_gate_is_worth_it(tmp_path, n):
    outcome = await moot.run(study(HELPS, n, threshold=0.9), store=tmp_path)
    report = await analyse("adaptive", outcome.run, store=tmp_path)
    found = {each.arm: each for each in report.data}
    gate = found["confidence-gate"]
    assert (gate.gate.debates, gate.gate.unread, gate.gate.accepted > 0.6 * n) == (n, 0, True)
    assert gate.tokens < found["always"].tokens / 2
    assert found["adaptive-consistency"].samples_only
    assert report.simulated
    if n == 250:  # fewer show no difference
        told = "confidence-gate on arithmetic is better at equal tokens"
        assert (gate.claim, any(told in each for each in report.findings)) == (BETTER, True)


@pytest.mark.parametrize("n", [30, pytest.param(120, marks=pytest.mark.soak)])
async def test_where_it_does_not_nothing_is_claimed_for_a_debate(tmp_path, n):
    outcome = await moot.run(study(HELPS_NOT, n, threshold=0.5), store=tmp_path)
    report = await analyse("adaptive", outcome.run, store=tmp_path)
    found = {each.arm: each for each in report.data}
    assert found["always"].claim == found["confidence-gate"].claim == NO_GAIN
    assert report.findings[0].startswith("No gain claimed for any debate: none of 2 beats")
