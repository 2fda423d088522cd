"""Judge bias: what is planted is found, apart from all else, and nothing where nothing is."""

from random import Random

import pytest

from moot.analyses.judge_bias import measure_judge_bias
from moot.analyses.judge_bias_tables import tabulate_judge_bias
from moot.analyses.side_charts import chart_sides
from moot.core.stored import Arm, DebateValues
from moot.debate.protocol import registry
from moot.reports.markdown import write_markdown

SIDES = ("affirmative", "negative")
LABEL, SPEAKS, SHOWN = SIDES, ("speaks first", "speaks second"), ("shown first", "shown second")


def arms(speaks=SIDES, shown=SIDES, pairs=((),), **settings):
    """An arm for each seating."""
    made = []
    for spoke in speaks:
        for first in shown:
            for pair in pairs:
                cast = [
                    {"role": side, "persona": who} for side, who in zip(SIDES, pair, strict=False)
                ]
                given = {"speaks_first": spoke, "shown_first": first, "cast": cast, **settings}
                name = f"{spoke} {first} {pair} {settings}"
                checked = registry.get("debate-moderated").check(given)
                made.append(Arm(name=name, protocol="debate-moderated", settings=checked))
    return made


def favours(arm, worth):
    """How likely a judge to whom these are worth so much is to support the affirmative."""
    settings = arm.settings
    signs = {
        "label": 1,
        "speaks": 1 if settings["speaks_first"] == SIDES[0] else -1,
        "shown": 1 if settings["shown_first"] == SIDES[0] else -1,
        "left": 1 if settings["cast"] and "left" in settings["cast"][0]["persona"] else -1,
    }
    return 0.5 + sum(signs[name] * size for name, size in worth.items())


def rows(arms, n=200, seed=1, neither=0.0, **worth):
    rng = Random(seed)
    return [
        DebateValues(arm.name, "sums", str(q), 0, failed=False, values={"supports-affirmative": v})
        for arm in arms
        for q in range(n)
        for v in [None if rng.random() < neither else float(rng.random() < favours(arm, worth))]
    ]


def near(effect, truth):
    """Whether an effect is what it should be, within its interval made half as wide again."""
    size = effect.size
    return abs(size.mean - truth) <= 1.5 * (size.high - size.low) / 2


def effects(found):
    return {names: each for each in found.effects for names in each.names}


@pytest.mark.parametrize("worth", [{}, {"label": 0.15, "speaks": -0.2}, {"shown": -0.2}])
def test_each_planted_bias_is_found_apart_and_no_other(worth):
    found = measure_judge_bias(rows(arms(), seed=2, **worth), arms=arms())
    got = effects(found)
    for name, names in (("label", LABEL), ("speaks", SPEAKS), ("shown", SHOWN)):
        each = got[names]
        assert near(each, worth.get(name, 0.0))
        assert each.size.high - each.size.low < 0.12
        assert (each.p_holm < 0.05) == (name in worth), name
    assert not found.mixed
    assert (got[LABEL].size.n, got[LABEL].size.questions, got[LABEL].seatings) == (800, 200, 4)


def test_a_persona_is_told_from_the_label_and_stands_beside_a_control():
    own = arms(SIDES[:1], pairs=(("left", "right"), ("right", "left")))
    own += arms(SIDES[:1], pairs=(("blue", "green"), ("green", "blue")))
    found = measure_judge_bias(rows(own, left=0.2), arms=own)
    got = effects(found)
    assert near(got["left", "right"], 0.2)
    assert near(got["blue", "green"], 0.0)
    assert got["left", "right"].size.low > got["blue", "green"].size.high
    assert [got[pair].control for pair in (("left", "right"), ("blue", "green"))] == [False, True]
    assert {each.group for each in found.shares} == {
        "debate-moderated, left and right",
        "debate-moderated, blue and green",
    }


def test_one_seating_tells_nothing_apart_and_says_so():
    own = arms(SIDES[:1], SIDES[:1])
    found = measure_judge_bias(rows(own, label=0.2), arms=own)
    [only] = found.effects
    assert only.names == (LABEL, SPEAKS, SHOWN)
    assert found.mixed
    two = arms(SIDES[:1])
    found = measure_judge_bias(rows(two, label=0.2), arms=two)
    assert [each.names for each in found.effects] == [(LABEL, SPEAKS), (SHOWN,)]
    assert found.mixed
    told = write_markdown(tabulate_judge_bias(found))
    assert "CANNOT BE TOLD APART" in told
    assert "SIMULATED" not in told
    few = measure_judge_bias(rows(two, n=1), arms=two)
    assert [chart for chart in chart_sides(few) if "effect" in chart.name], "without an interval"


def test_seatings_that_are_opposite_are_one_thing_with_its_names_turned():
    own = [*arms(SIDES[:1], SIDES[1:]), *arms(SIDES[1:], SIDES[:1])]
    [_, places] = measure_judge_bias(rows(own, shown=0.2), arms=own).effects
    assert places.names == (SPEAKS, ("shown second", "shown first"))
    assert places.size.mean < -0.1


def test_questions_that_a_seating_lacks_are_left_out_and_counted():
    own = arms(SIDES[:1])
    held = [row for row in rows(own, n=10) if (row.arm, row.question) != (own[0].name, "7")]
    [label, _] = measure_judge_bias(held, arms=own).effects
    assert (label.size.questions, label.left_out) == (9, 1)
    told = write_markdown(tabulate_judge_bias(measure_judge_bias(held, arms=own)))
    assert "1 question left out" in told
