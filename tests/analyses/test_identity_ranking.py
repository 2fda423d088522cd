"""Identities in one order: planted strengths are recovered, and unlike arms are not pooled."""

from itertools import permutations
from math import exp, log
from random import Random

from msgspec.structs import replace

from analyses.test_judge_bias import arms
from moot.analyses.identity_ranking import rank_identities
from moot.analyses.judge_bias import measure_judge_bias
from moot.core.stored import DebateValues
from moot.prompts.personas import name_persona

IDENTITIES = {"left": log(3), "right": 0.0, "oak": -log(3)}
PAIRS = list(permutations(IDENTITIES, 2))


def judged(made, strengths, n=150, seed=4):
    """Verdicts of judges who favour a side by what its identity is worth."""
    rng = Random(seed)
    rows = []
    for arm in made:
        one, other = (name_persona(entry["persona"]) for entry in arm.settings["cast"][:2])
        likely = 1 / (1 + exp(strengths[other] - strengths[one]))
        for q in range(n):
            values = {"supports-affirmative": float(rng.random() < likely)}
            rows.append(DebateValues(arm.name, "sums", str(q), 0, failed=False, values=values))
    return rows


def test_planted_strengths_are_recovered():
    made = arms(shown=("affirmative",), pairs=PAIRS)
    [found] = rank_identities(judged(made, IDENTITIES), made)
    assert list(found.strengths) == ["left", "right", "oak"]
    for name, strength in found.strengths.items():
        assert strength.low <= IDENTITIES[name] <= strength.high
        assert strength.high - strength.low < 0.8
    assert [share.n for share in found.verdicts.values()] == [8 * 150] * 3


def test_two_identities_are_no_order():
    made = arms(shown=("affirmative",), pairs=[("left", "right"), ("right", "left")])
    assert list(rank_identities(judged(made, IDENTITIES), made)) == []


def with_moderator(arm, persona):
    cast = [*arm.settings["cast"], {"role": "moderator", "persona": persona}]
    return replace(arm, name=f"{arm.name} {persona}", settings={**arm.settings, "cast": cast})


def test_arms_whose_moderators_differ_are_not_pooled():
    made = arms(pairs=[("left", "right"), ("right", "left")])
    apart = [with_moderator(arm, persona) for arm in made for persona in ("female", "male")]
    found = measure_judge_bias(judged(apart, IDENTITIES, n=10), arms=apart)
    assert len({share.group for share in found.shares}) == 2
    assert {share.seatings for share in found.shares} == {8}
