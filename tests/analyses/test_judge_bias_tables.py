"""Judge bias as tables, in Markdown and as figures."""

import json
import re
from io import StringIO

import pytest
from rich.console import Console

from moot.analyses.judge_bias import Effect, JudgeBias, Share
from moot.analyses.judge_bias_tables import tabulate_judge_bias
from moot.analyses.side_charts import chart_sides
from moot.core.results import Mean
from moot.reports.markdown import write_markdown
from moot.reports.terminal import show_report
from support.charted_runs import texts_of

SIDES, PAIR = ("affirmative", "negative"), ("blue", "green")
PLACES = (("speaks first", "speaks second"), ("shown first", "shown second"))


def mean(value, width=0.1):
    return Mean(mean=value, low=value - width, high=value + width, n=40, questions=20)


def share(names, first, **given):
    known = {"dataset": "gsm8k", "opening": "open", "group": "debate-moderated", "model": "m"}
    parts = {"first": mean(first), "second": mean(0.9 - first), "neither": mean(0.1, 0.05)}
    counts = {"control": names == PAIR, "seatings": 2, "debates": 40, "failed": 3}
    return Share(names=names, ratio=mean(first / 0.9), **{**known, **parts, **counts, **given})


def effect(*names, size=0.1, **given):
    known = {"dataset": "gsm8k", "opening": "open", "group": "debate-moderated", "model": "m"}
    counts = {"control": names[0] == PAIR, "seatings": 2, "left_out": 1}
    return Effect(names=names, size=mean(size), p=0.01, p_holm=0.02, **{**known, **counts, **given})


@pytest.fixture
def found():
    wrong = {"opening": "control-wrong"}
    return JudgeBias(
        run="planted-1",
        name="planted",
        simulated=True,
        shares=(share(SIDES, 0.6), share(SIDES, 0.3, **wrong), share(PAIR, 0.45)),
        effects=(effect(SIDES, PLACES[0]), effect(PLACES[1], size=-0.2), effect(PAIR, size=0.0)),
    )


def test_the_tables_fit_a_terminal_and_say_what_cannot_be_told_apart(found):
    console = Console(width=80, record=True, file=StringIO())
    console.print(show_report(tabulate_judge_bias(found)))
    told = console.export_text()
    assert max(map(len, told.splitlines())) <= 80
    for part in ("SIMULATED", "+10.0", "−20.0", "60.0", "(control)", "control-wrong", "0.020"):
        assert part in told
    flat = " ".join(told.split())
    assert "POSITION AND LABEL CANNOT BE TOLD APART" in flat
    assert "1 question left out" in flat
    assert "6 debates failed" in flat


def test_it_is_not_said_where_they_can(found):
    apart = JudgeBias(
        run="r", name="n", simulated=False, shares=found.shares, effects=(effect(SIDES),)
    )
    told = write_markdown(tabulate_judge_bias(apart))
    assert "TOLD APART" not in told
    assert "SIMULATED" not in told
    assert "| open | affirmative, not negative | +10.0 (0.0 … +20.0) | 0.010 | 0.020 |" in told


def test_pairs_of_one_opening_are_in_one_chart_and_controls_apart(found):
    made = {chart.name: chart for chart in chart_sides(found)}
    assert {"sides-controls", "side-effects-gsm8k"} <= set(made)
    for chart in made.values():
        texts = texts_of(chart)
        assert chart.title in texts
        assert any("SIMULATED" in text for text in texts)
        assert not re.search("undefined|null|NaN|Infinity", json.dumps(texts))
    assert {row["name"] for row in made["sides-controls"].rows} == set(PAIR)


def test_labels_over_several_openings_are_one_chart_with_a_panel_each():
    shares = tuple(
        share(SIDES, 0.5, opening=opening, dataset=dataset)
        for dataset in ("gsm8k", "piqa")
        for opening in ("open", "control-right", "control-wrong")
    )
    found = JudgeBias(run="r", name="n", simulated=False, shares=shares, effects=())
    [chart] = chart_sides(found)
    assert chart.name == "sides-affirmative-negative"
    assert {row["panel"] for row in chart.rows} == {"open", "control-right", "control-wrong"}
    assert {"gsm8k", "piqa", *SIDES} <= set(texts_of(chart))


def test_an_effect_without_an_interval_is_still_drawn(found):
    one = Mean(mean=0.0, n=2, questions=1)
    bare = Effect(
        **{**{f: getattr(effect(SIDES), f) for f in Effect.__struct_fields__}, "size": one}
    )
    bias = JudgeBias(run="r", name="n", simulated=False, shares=found.shares, effects=(bare,))
    for chart in chart_sides(bias):
        assert chart.title in texts_of(chart)
