"""Figures in a page, and what hostile names can do there."""

import json
import re
from html.parser import HTMLParser

import pytest

from moot.core.results import Mean
from moot.core.stored import Arm, StudyRow
from moot.reports.chart_files import write_chart
from moot.reports.chart_page import figure, fragment, script
from moot.reports.chart_style import SMALL, ChartStyle
from moot.reports.plots import make_vega
from support.charted_runs import draw, gather_runs, make_debated, make_result, make_whole


@pytest.fixture(scope="module")
def drawn():
    return draw(make_whole())


class Page(HTMLParser):
    """The elements of a page, and what stands in its scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.texts = [], [], []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append([dict(attrs).get("type"), ""])
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1][1] += data
        else:
            self.texts.append(data)


def test_scripts_and_styles_are_there_once(drawn):
    assert list(fragment([])) == []
    charts = list(drawn.values())[:3]
    page = Page("".join(fragment(charts)))
    types = [kind for kind, _ in page.scripts]
    assert types == ["application/json"] * 2 * len(charts) + [None]
    assert page.elements.count("style") == 1
    styles = ChartStyle(), ChartStyle(width=SMALL)
    assert [json.loads(text) for _, text in page.scripts[:-1]] == [
        make_vega(chart, style) for chart in charts for style in styles
    ]
    assert page.scripts[-1][1] == script()


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
        page = Page(figure(chart))
        assert page.elements == ["figure", "div", "figcaption", "script", "script"]
        for (kind, text), width in zip(page.scripts, (720, SMALL), strict=True):
            assert kind == "application/json"
            assert not set("<>&\x1b\u202e") & set(text)
            assert json.loads(text) == make_vega(chart, ChartStyle(width=width))
        write_chart(chart, tmp_path / "chart.svg")
        svg = (tmp_path / "chart.svg").read_text("utf-8")
        assert not re.search("<(script|img|a|foreignObject)[ >]", svg)
        assert not set("\x1b\x07\u202e\u200b") & set(svg)
