"""The figure of accuracy by opening: what belongs together, and that it is drawn whole."""

import re

import pytest

from moot.core.stored import Arm, StudyRow
from moot.reports.charting.chart import draw_charts
from moot.reports.charting.chart_arms import gather_arms
from moot.reports.charting.chart_files import write_chart
from moot.reports.charts import opening_dots

OPEN, RIGHT, WRONG = "open", "control-right", "control-wrong"


def arm(name, opening, protocol="self-consistency", **settings):
    had = {"model": "m", "opening": opening, "distance": "near", "cast": [], **settings}
    return Arm(name=name, protocol=protocol, settings=had)


ARMS = (
    *(arm(f"sc {opening}", opening) for opening in (WRONG, OPEN, RIGHT)),
    *(arm(f"debate {opening}", opening, "debate-moderated") for opening in (OPEN, WRONG)),
    arm("debate far", WRONG, "debate-moderated", distance="far"),
    *(arm(f"other {opening}", opening, model="n") for opening in (OPEN, WRONG)),
    arm("alone", OPEN, "single"),
)


@pytest.fixture
def run(result, results):
    arms = [result(each.name, 0.3 + k / 20, "gsm8k") for k, each in enumerate(ARMS)]
    return results(*arms, baseline="alone")


def rows(chart):
    return [row for rows in chart.data["datasets"].values() for row in rows]


def test_arms_that_differ_in_their_opening_alone_are_drawn_together(run):
    study = StudyRow(name="trial", baseline=None, arms=ARMS)
    [chart] = opening_dots.draw(gather_arms([run], {run.run: study}))
    assert chart.name == "openings-gsm8k"
    seen = {(row["model"], row["group"], row["opening"]): row["accuracy"] for row in rows(chart)}
    assert {key: round(20 * (value - 0.3)) for key, value in seen.items()} == {
        ("m", "self-consistency", "wrong (near)"): 0,
        ("m", "self-consistency", "open"): 1,
        ("m", "self-consistency", "right"): 2,
        ("m", "debate-moderated", "open"): 3,
        ("m", "debate-moderated", "wrong (near)"): 4,
        ("m", "debate-moderated", "wrong (far)"): 5,
        ("n", "self-consistency", "open"): 6,
        ("n", "self-consistency", "wrong (near)"): 7,
    }


def test_it_is_drawn_without_a_hole(run, tmp_path):
    study = StudyRow(name="trial", baseline=None, arms=ARMS)
    chart = next(each for each in draw_charts([run], {run.run: study}) if "openings" in each.name)
    write_chart(chart, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text("utf-8")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    places = [text for text in texts if text.split(" ")[0] in ("open", "right", "wrong")]
    assert places == ["open", "right", "wrong (near)", "wrong (far)"] * 2
    assert {"m", "n", "self-consistency", "debate-moderated"} <= set(texts)
    assert not re.search(r'(?:d|transform)="[^"]*NaN|undefined', svg)
    checked = chart.spec.to_dict(validate=True)
    assert checked["datasets"].keys() == chart.data["datasets"].keys()


def test_the_same_group_of_two_runs_is_drawn_apart(result, results):
    arms = [result(each.name, 0.5) for each in ARMS[:2]]
    found = [results(*arms, run=run) for run in ("one", "two")]
    study = StudyRow(name="trial", baseline=None, arms=ARMS[:2])
    [chart] = opening_dots.draw(gather_arms(found, dict.fromkeys(("one", "two"), study)))
    assert {row["group"] for row in rows(chart)} == {
        "self-consistency · one", "self-consistency · two"
    }  # fmt: skip


def test_nothing_is_drawn_where_no_opening_differs(run):
    study = StudyRow(name="trial", baseline=None, arms=ARMS[-1:])
    assert list(opening_dots.draw(gather_arms([run], {run.run: study}))) == []
    assert list(opening_dots.draw(gather_arms([run], {}))) == []
