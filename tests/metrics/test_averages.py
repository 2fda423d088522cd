"""What a debater takes, averaged over debaters."""

import pytest

from moot.metrics.metric import registry

TOOK = {
    name: name.replace("-", "_")
    for name in ("prompt-tokens", "completion-tokens", "cost", "seconds")
}


def three(transcript, name):
    return [registry.get(f"{name}-per-{by}")(transcript) for by in ("agent", "round", "reply")]


@pytest.mark.parametrize("name", TOOK)
def test_per_agent_per_round_and_per_reply(debate, turn, name):
    """One takes 2, 4 and 6 in two rounds; the other 10 in one; a judge much more."""
    took = [(0, 1, 2), (0, 2, 4), (0, 2, 6), (1, 1, 10)]
    turns = [
        turn(k, seat, round_, "4", **{TOOK[name]: amount})
        for k, (seat, round_, amount) in enumerate(took, 1)
    ]
    judge = turn(9, 2, 2, "4", role="judge", **{TOOK[name]: 500})
    assert three(debate(*turns, judge), name) == [11, 8, 7]


@pytest.mark.parametrize("name", ["prompt-tokens", "completion-tokens", "cost"])
def test_one_unknown_part_makes_the_mean_unknown(debate, turn, name):
    known = turn(1, 0, 1, "4", **{TOOK[name]: 2})
    assert three(debate(known, turn(2, 1, 1, "4")), name) == [None] * 3
    assert three(debate(known, turn(2, 1, 1, "4", role="judge")), name) == [2] * 3


def test_free_is_not_unknown_and_where_nobody_debated_there_is_none(debate, turn):
    assert three(debate(turn(1, 0, 1, "4", cost=0.0)), "cost") == [0, 0, 0]
    for name, took in TOOK.items():
        judge = turn(1, 0, 1, "4", role="judge", **{took: 2})
        assert three(debate(judge), name) == [None] * 3
