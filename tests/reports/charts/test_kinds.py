"""What the single figures show."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from moot.core.results import Difference
from moot.core.stored import Arm
from moot.reports.charting.chart_arms import ChartArm, gather_arms, shorten
from moot.reports.charting.chart_files import write_chart
from moot.reports.charts import (
    agreement_curves,
    behaviour,
    gain_bars,
    improvement,
    medical,
    network_graph,
    tradeoff,
)


def data(chart):
    """The rows of a figure."""
    return [row for rows in chart.data["datasets"].values() for row in rows]


def test_the_front_is_what_none_beats_in_both():
    points = [(1.0, 0.5), (2.0, 0.4), (3.0, 0.7), (3.0, 0.6), (9.0, 0.7), (0.5, 0.1)]
    assert tradeoff.front(points) == [5, 0, 2]


def test_improvement_is_in_parts_of_the_baseline(result, results):
    gap = Difference(mean=0.1, low=0.05, high=0.15, pairs=20, questions=20)
    run = results(result("single", 0.5), result("b", 0.6, difference=gap))
    [chart] = improvement.draw(gather_arms([run], {}))
    row = next(row for row in data(chart) if row.get("label") == "2  b")
    got = (row["relative"], row["low"], row["high"], row["sure"])
    assert got == pytest.approx((0.2, 0.1, 0.3, True))


def test_nothing_is_better_than_a_baseline_that_is_never_right(result, results):
    gap = Difference(mean=0.6, low=0.5, high=0.7, pairs=20, questions=20)
    run = results(result("single", 0.0), result("b", 0.6, difference=gap))
    assert list(improvement.draw(gather_arms([run], {}))) == []


def test_gains_are_in_parts_of_the_first_answers(debated):
    arm = debated("a", 0.6)
    assert gain_bars.relative(arm, "gain-to-last") == pytest.approx(0.2)
    assert gain_bars.relative(arm, "gain-to-verdict") == pytest.approx(-0.1)
    assert gain_bars.relative(replace(arm, first_accuracy=0.0), "gain-to-last") is None
    assert gain_bars.relative(arm, "none") is None


def test_averages_count_datasets_alike_and_leave_out_what_lacks_one(shown):
    some = [arm for arm in shown if (arm.result.arm, arm.dataset) != ("net", "ciar")]
    means = medical.averages(some)
    assert "network (simulated)" not in means
    assert means["society-of-minds (simulated)"] == pytest.approx((0.575 + 0.675) / 2)


def test_arms_that_differ_in_agreement_alone_are_a_curve(shown, study, whole):
    told = [arm for arm in shown if "agreement" in arm.settings]
    found = agreement_curves.curves(told)
    assert [[arm.settings["agreement"] for arm in curve] for curve in found] == [[0, 50, 90]] * 2
    other = Arm(name=study.arms[4].name, protocol="multi-persona", settings={"agreement": 50})
    arms = tuple(other if arm.name == other.name else arm for arm in study.arms)
    mixed = gather_arms([whole], {whole.run: replace(study, arms=arms)})
    curves = agreement_curves.curves([arm for arm in mixed if "agreement" in arm.settings])
    assert [[arm.settings["agreement"] for arm in curve] for curve in curves] == [[0, 90]] * 2


def test_spokes_go_from_the_least_to_the_greatest(shown):
    [chart, _] = behaviour.draw(shown)
    rows = [row for row in data(chart) if row.get("axis") == "any agent ever right"]
    reach = {row["value"]: (row["x"] ** 2 + row["y"] ** 2) ** 0.5 for row in rows}
    assert reach[max(reach)] == pytest.approx(1, abs=1e-3)
    assert reach[min(reach)] == pytest.approx(behaviour.INNER, abs=1e-3)


@pytest.fixture
def wired(result):
    def made(edges, nodes):
        arm = result("net", nodes=dict.fromkeys(nodes, result().accuracy))
        return ChartArm(arm, 1, "net", "network", {"edges": edges}, "run", None)

    return made


def test_a_network_is_drawn_in_layers_with_chains_level(wired):
    edges = [["C1", "judge"], ["C2", "C3"], ["C3", "C4"], ["C4", "judge"]]
    drawn = network_graph.place_network(wired(edges, ["C1", "C2", "C3", "C4"]))
    assert {name: x for name, (x, _) in drawn.spots.items()} == {
        "C1": 1, "C2": 1, "C3": 2, "C4": 3, "judge": 4
    }  # fmt: skip
    assert len({drawn.spots[name][1] for name in ("C2", "C3", "C4")}) == 1
    assert not drawn.both


@pytest.mark.parametrize("edges", [[], [["a", "b"], ["b", "a"]], [["a", "judge"], ["b", "x"]]])
def test_without_a_graph_nodes_stand_in_a_circle(wired, edges):
    drawn = network_graph.place_network(wired(edges, list("abcdef")))
    assert drawn.both
    assert len(set(drawn.spots.values())) == 6
    assert len(drawn.edges) == 15


def test_nodes_of_a_layer_do_not_cover_one_another(wired):
    first, second = [f"A{k}" for k in range(5)], [f"B{k}" for k in range(4)]
    edges = [[a, b] for a in first for b in second] + [[b, "judge"] for b in second]
    spots = network_graph.place_network(wired(edges, first + second)).spots
    levels = sorted(spots[name][1] for name in second)
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(levels))


def test_a_node_that_was_never_held_has_no_accuracy(wired, tmp_path):
    [chart] = network_graph.draw([wired([["a", "b"], ["b", "judge"]], ["a"])])
    write_chart(chart, tmp_path / "chart.svg")
    texts = (tmp_path / "chart.svg").read_text("utf-8")
    assert ">b</text>" in texts
    assert ">–</text>" in texts
    assert ">null" not in texts


def test_long_names_keep_their_beginnings_and_ends():
    name = shorten("society of minds with a name that goes on and on and on, agreement=75")
    assert name.startswith("society of minds")
    assert name.endswith("agreement=75")
    assert len(name) <= 44
    assert shorten("a\nb") == "a b"
