"""How easily agents give up right answers: planted by level, and found by level."""

import pytest

from moot.core.errors import InputError
from support.recorded import analyse_sums


def find(tmp_path, knobs, n=80, levels=(0, 1, 2, 3), **more):
    arms = [
        {"protocol": "planted-peers", "level": list(levels)} | more,
        {"protocol": "exposure", "agents": 1, "shows": "nothing"},
    ]
    model = f"simulated/people?concentration=1000000&revise=-1{knobs}"
    return analyse_sums(tmp_path, "information-gradient", model, arms, {"n": n})


@pytest.mark.parametrize(
    ("knobs", "adoptions"),
    [
        ("&bare_conformity=0.5", (0.5, 0.5, 0.5, 0.5)),
        ("&placebo=0.5", (0, 0.5, 0.5, 0.5)),
        ("&persuasion=0.5", (0, 0, 0, 0.5)),
    ],
)
def test_the_level_from_which_on_agents_adopt_is_found(tmp_path, knobs, adoptions):
    [found] = find(tmp_path, knobs).data
    assert [each.level for each in found.levels] == [0, 1, 2, 3]
    for each, true in zip(found.levels, adoptions, strict=True):
        assert each.adoption.low <= true <= each.adoption.high
        assert bool(each.adoption.mean) == bool(true)
    assert found.has_nothing
    assert found.levels[0].resistant is None
    kept = found.levels[3].resistant.n
    assert kept == round(found.levels[0].adoption.n * (1 - found.levels[0].adoption.mean))


def test_peers_that_all_state_what_is_right_have_no_gradient(tmp_path):
    with pytest.raises(InputError, match="no method of planted-peers whose peers state a wrong"):
        find(tmp_path, "", n=3, levels=(0,), dissenters=3)
