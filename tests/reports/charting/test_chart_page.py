"""Figures in a page, and what hostile names can do there."""

import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from msgspec.structs import replace

from moot.core.results import Mean
from moot.core.stored import Arm, StudyRow
from moot.reports.charting.chart import draw_charts
from moot.reports.charting.chart_files import write_chart
from moot.reports.charting.chart_page import (
    DARK,
    IN_THE_DARK,
    PAPER,
    STYLE,
    figure,
    fragment,
    page,
    script,
)
from moot.reports.charting.look import COLOURS, INSIDE


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
    page = Page("".join(fragment(list(drawn.values()))))
    types = [kind for kind, _ in page.scripts]
    assert types == ["application/json"] * len(drawn) + [None]
    assert page.elements.count("style") == 1
    assert [json.loads(text) for _, text in page.scripts[:-1]] == [
        chart.data for chart in drawn.values()
    ]
    assert page.scripts[-1][1] == script()


def test_no_figures_are_no_fragment():
    assert list(fragment([])) == []


def test_the_script_needs_nothing_outside_and_no_eval_of_expressions(drawn):
    assert "ast:!0" in script().replace(" ", "").replace("ast:true", "ast:!0")
    assert not re.search(r"<script|</script|<!--", script(), re.IGNORECASE)
    assert not re.search(r"\bimport\s*[({'\"]", script())


@pytest.fixture
def hostile_run(hostile, result, results, debated):
    names = [f"{hostile}{k}" for k in range(3)]
    arms = [
        result(names[0], dataset=hostile),
        debated(names[1], 0.6, dataset=hostile),
        result(names[2], 0.4, hostile, nodes={hostile: Mean(mean=0.5, n=3, questions=3)}),
    ]
    row = StudyRow(
        name=hostile,
        arms=tuple(Arm(name=name, protocol=hostile, settings={}) for name in names),
        baseline=names[0],
    )
    run = replace(results(*arms, baseline=names[0]), run=hostile)
    return draw_charts([run], {hostile: row})


def test_hostile_names_stay_texts(hostile_run, tmp_path):
    assert {chart.name.partition("-")[0] for chart in hostile_run} >= {"cost", "network", "rounds"}
    for chart in hostile_run:
        assert re.fullmatch("[a-z0-9_-]+", chart.name)
        page = Page(figure(chart))
        assert page.elements == ["figure", "div", "figcaption", "script"]
        [(kind, text)] = page.scripts
        assert kind == "application/json"
        assert not set("<>&\x1b\u202e") & set(text)
        assert json.loads(text) == chart.data
        write_chart(chart, tmp_path / "chart.svg")
        svg = (tmp_path / "chart.svg").read_text("utf-8")
        assert not re.search("<(script|img|a|foreignObject)[ >]", svg)
        assert not set("\x1b\x07\u202e\u200b") & set(svg)


def contrast(one, other):
    """How far two colours are apart by WCAG, from 1 to 21; of six digits, of three, or named."""

    def light(colour):
        colour = {"white": "#ffffff", "black": "#000000"}.get(colour, colour)
        if len(colour) == 4:
            colour = "#" + "".join(2 * digit for digit in colour[1:])
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        even = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * even[0] + 0.7152 * even[1] + 0.0722 * even[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_text_can_be_read_in_light_and_in_dark_pages(drawn, tmp_path):
    found = set()
    for chart in drawn.values():
        write_chart(chart, tmp_path / "chart.svg")
        svg = (tmp_path / "chart.svg").read_text("utf-8")
        found |= set(re.findall(r'<text[^>]* fill="([^"]*)"', svg))
    assert found >= {INSIDE, "#222222", "#757575"}
    for colour in found - {INSIDE}:
        assert contrast(colour, "white") >= 4.5, colour
        assert contrast(IN_THE_DARK[colour], PAPER) >= 4.5, colour


def test_every_mark_can_be_seen_in_dark_pages():
    for colour in COLOURS:
        assert contrast(IN_THE_DARK.get(colour, colour), PAPER) >= 3, colour


def test_only_pages_of_moot_turn_dark(drawn):
    chart = drawn["cost-medqa"]
    assert "prefers-color-scheme" not in STYLE
    assert STYLE in "".join(fragment([chart]))
    assert "prefers-color-scheme" not in "".join(fragment([chart]))
    assert DARK.startswith(STYLE)
    whole = "".join(page(chart))
    assert DARK in whole
    assert f"background: {PAPER}" in whole
    for light, dark in IN_THE_DARK.items():
        assert f'[fill="{light}" i] {{ fill: {dark}; }}' in DARK
        assert f'[stroke="{light}" i] {{ stroke: {dark}; }}' in DARK


def test_a_report_is_of_the_same_paper():
    styles = files("moot.reports").joinpath("templates", "report.css").read_text("utf-8")
    assert f"--paper: {PAPER};" in styles
