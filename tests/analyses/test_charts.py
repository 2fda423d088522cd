"""What the charts of analyses show of which runs."""

import re
from math import hypot

import pytest
from msgspec.structs import replace

from moot.core.results import Mean, Measure
from moot.debate.graph import PRESETS
from moot.reports.drawings import draw_chart
from support.charted_runs import draw, make_result, make_runs, make_whole

EACH = ("tradeoff", "improvement", "behaviour", "rounds", "flips")
NETS = ("net", "hopfield")


@pytest.fixture(scope="module")
def drawn():
    return draw(make_whole())


def test_every_analysis_draws_what_the_runs_have_and_says_that_it_is_simulated(drawn):
    nets = [f"network-{dataset}-{net}" for dataset in ("medqa", "ciar") for net in NETS]
    names = {f"{name}-{dataset}" for name in EACH for dataset in ("medqa", "ciar")}
    assert set(drawn) == {*names, *nets, "boxes", "gains", "agreement-multi-persona"}
    assert all("SIMULATED" in " ".join(chart.notes) for chart in drawn.values())


def test_nothing_is_drawn_of_nothing():
    assert draw(make_runs(replace(make_result(), accuracy=Mean()))) == {}
    assert draw(make_runs(make_result())) == {}


def test_prices_that_are_unknown_or_nothing_have_no_panel():
    nothing = dict.fromkeys(("cost", "seconds", "prompt_tokens"), Measure())
    free = {"cost": Measure(total=0.0, known=20), "seconds": Measure()}
    arms = [make_result("a", **nothing), make_result("b", **nothing), make_result("c", **free)]
    assert draw(make_runs(*arms[:2]), "tradeoff") == {}
    [chart] = draw(make_runs(arms[2], make_result("d")), "tradeoff").values()
    assert [axis.field for axis in chart.plot.across] == ["cost", "tokens"]


def test_each_edge_of_a_network_has_an_arrowhead_at_the_node_that_reads(drawn):
    chart = drawn["network-medqa-net"]
    edges = PRESETS["short-long"]
    first = {one for one, _ in edges} - {other for _, other in edges}
    spots = {row["name"]: (row["x"], row["y"]) for row in chart.rows if row.get("name")}
    lines = {((r["x"], r["y"]), (r["x2"], r["y2"])) for r in chart.rows if "x2" in r}
    [asked] = [(row["x"], row["y"]) for row in chart.rows if row.get("question")]
    assert lines == {(spots[one], spots[other]) for one, other in edges} | {
        (asked, spots[node]) for node in first
    }
    assert asked[0] < min(x for x, _ in spots.values())
    svg = draw_chart(chart, "svg").decode()
    circles, heads = (
        [
            tuple(map(float, at))
            for at in re.findall(r"translate\(([\d.-]+),([\d.-]+)\)" + turned, svg)
        ]
        for turned in (r'"[^>]*d="M[\d.]+,0A', r" rotate\([^)]*\)")
    )
    assert (len(circles), len(heads)) == (len(spots), len(lines))
    assert all(min(hypot(x - a, y - b) for a, b in circles) < 30 for x, y in heads)


def test_nodes_that_all_read_each_other_have_arrows_both_ways(drawn):
    rows = drawn["network-medqa-hopfield"].rows
    lines = {((r["x"], r["y"]), (r["x2"], r["y2"])) for r in rows if "x2" in r}
    assert {(b, a) for a, b in lines} == lines
    assert not any(row.get("question") for row in rows)
