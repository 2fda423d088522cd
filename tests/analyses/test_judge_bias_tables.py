"""Judge bias as tables, in Markdown and as figures."""

import json
import re
from io import StringIO

import pytest
from moot.reports.charting.chart import draw_charts
from moot.reports.charting.chart_files import write_chart
from moot.reports.charts import side_bars
from msgspec.structs import replace
from rich.console import Console

from moot.analyses.judge_bias import Effect, JudgeBias, Share
from moot.analyses.judge_bias_tables import tabulate_judge_bias
from moot.core.results import Mean
from moot.reports.markdown import write_markdown
from moot.reports.terminal import show_report

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


@pytest.mark.parametrize("name", ["sides-gsm8k", "side-effects-gsm8k"])
def test_figures_are_drawn_without_a_hole_and_say_what_is_simulated(found, name, tmp_path):
    made = {chart.name: chart for chart in side_bars.draw([found])}
    assert set(made) == {"sides-gsm8k", "side-effects-gsm8k"}
    chart = made[name]
    chart.spec.to_dict(validate=True)
    write_chart(chart, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text("utf-8")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert chart.title in texts
    assert "(simulated)" in chart.title
    assert not re.search("undefined|null|NaN|Infinity", json.dumps(texts))
    assert not re.search(r'(?:d|transform)="[^"]*NaN', svg)


def test_figures_of_several_runs_stand_beside_each_other_by_name(found):
    other = replace(found, run="planted-2")
    made = draw_charts([], {}, [found, other])
    names = ["sides-gsm8k", "side-effects-gsm8k"]
    assert [chart.name for chart in made] == [*names, *(f"{name}_2" for name in names)]
    runs = [re.search(r"planted-\d", chart.title)[0] for chart in made]
    assert runs == ["planted-1"] * 2 + ["planted-2"] * 2
    assert not any("planted" in chart.title for chart in draw_charts([], {}, [found]))


def test_an_effect_without_an_interval_is_still_drawn(found, tmp_path):
    one = Mean(mean=0.0, n=2, questions=1)
    bare = Effect(
        **{**{f: getattr(effect(SIDES), f) for f in Effect.__struct_fields__}, "size": one}
    )
    bias = JudgeBias(run="r", name="n", simulated=False, shares=found.shares, effects=(bare,))
    for chart in side_bars.draw([bias]):
        write_chart(chart, tmp_path / "chart.svg")
        assert "NaN" not in (tmp_path / "chart.svg").read_text("utf-8")
