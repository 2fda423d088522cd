"""Figures in a page, and what hostile names can do there."""

import json
import re

import pytest

from moot.core.results import Mean
from moot.core.stored import Arm, StudyRow
from moot.reports.chart_files import write_chart
from moot.reports.chart_page import figure, fragment, script
from moot.reports.chart_style import SMALL, ChartStyle
from moot.reports.plots import make_vega
from support.charted_runs import draw, gather_runs, make_debated, make_result, make_whole
from support.report_page import Page


@pytest.fixture(scope="module")
def drawn():
    return draw(make_whole())


def scripts(text):
    found = re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL)
    return [("json" if 'type="application/json"' in of else of.strip(), said) for of, said in found]


def test_scripts_and_styles_are_there_once(drawn):
    assert list(fragment([])) == []
    charts = list(drawn.values())[:3]
    text = "".join(fragment(charts))
    *data, last = scripts(text)
    assert [kind for kind, _ in data] == ["json"] * 2 * len(charts)
    assert [tag for tag, _ in Page(text).elements].count("style") == 1
    styles = ChartStyle(), ChartStyle(width=SMALL)
    assert [json.loads(text) for _, text in data] == [
        make_vega(chart, style) for chart in charts for style in styles
    ]
    assert last == ("", script())


@pytest.fixture
def hostile_run(hostile):
    names = [f"{hostile}{k}" for k in range(3)]
    arms = [
        make_result(names[0], dataset=hostile),
        make_debated(names[1], 0.6, dataset=hostile),
        make_result(names[2], 0.4, hostile, nodes={hostile: Mean(mean=0.5, n=3, questions=3)}),
    ]
    row = StudyRow(
        name=hostile,
        arms=tuple(Arm(name=name, protocol=hostile, settings={}) for name in names),
        baseline=names[0],
    )
    return list(draw(gather_runs(arms, row, baseline=names[0])).values())


def test_hostile_names_stay_texts(hostile_run, tmp_path):
    assert {chart.name.partition("-")[0] for chart in hostile_run} >= {
        "tradeoff",
        "network",
        "rounds",
    }
    for chart in hostile_run:
        assert re.fullmatch("[a-z0-9_-]+", chart.name)
        shown = figure(chart)
        elements = Page(shown).elements
        assert [tag for tag, _ in elements] == ["figure", "div", "figcaption", "script", "script"]
        assert not [name for _, attrs in elements for name in attrs if name.startswith("on")]
        for (kind, text), width in zip(scripts(shown), (720, SMALL), strict=True):
            assert kind == "json"
            assert not set("<>&\x1b\u202e") & set(text)
            assert json.loads(text) == make_vega(chart, ChartStyle(width=width))
        write_chart(chart, tmp_path / "chart.svg")
        svg = (tmp_path / "chart.svg").read_text("utf-8")
        assert not re.search("<(script|img|a|foreignObject)[ >]", svg)
        assert not set("\x1b\x07\u202e\u200b") & set(svg)
