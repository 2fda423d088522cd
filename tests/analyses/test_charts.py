"""What the charts of analyses show of which runs."""

import json

import pytest
from msgspec.structs import replace

from moot.analyses import boxes, network_graph
from moot.analyses.measured_arms import MeasuredArm, label_arms
from moot.core.results import Mean, Measure
from moot.core.stored import Arm, StudyRow
from moot.reports.drawings import draw_chart
from support.charted_runs import (
    draw,
    gather_runs,
    make_debated,
    make_result,
    make_runs,
    make_whole,
)

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


def test_arms_are_called_by_what_differs_between_them():
    long = "a name of one's own that is far too long to stand in a legend"
    arms = [
        Arm(name=name, protocol="society-of-minds", settings={"agents": agents, "rounds": 2})
        for name, agents in (("society-of-minds agents=2,rounds=2", 2), (long, 3), ("mine", 4))
    ]
    arms.append(Arm(name="single style=cot", protocol="single", settings={"style": "cot"}))
    assert label_arms(arms) == {
        "society-of-minds agents=2,rounds=2": "society-of-minds agents=2",
        long: "society-of-minds agents=3",
        "mine": "mine",
        "single style=cot": "single",
    }
    nodes = [{"name": f"C{k}", "protocol": "society-of-minds"} for k in range(9)]
    arms = [
        Arm(name=f"network graph={graph},agents=2", protocol="network", settings={"nodes": own})
        for graph, own in (("cascade", nodes), ("chain", nodes[:2]))
    ]
    names = ["network graph=cascade agents=2", "network graph=chain agents=2"]
    assert list(label_arms(arms).values()) == names, "settings that are long are left out"


def test_arms_that_are_told_how_far_to_agree_are_in_no_box_mean_or_order():
    shares = {"persona agreement=0": 0.9, "persona agreement=90": 0.95, "persona rounds=2": 0.2}
    shares |= {"persona rounds=4": 0.3, "society rounds=2": 0.4, "society rounds=3": 0.5}
    arms = tuple(
        Arm(
            name=name,
            protocol="multi-persona" if name.startswith("persona") else "society-of-minds",
            settings={"agreement": int(name[18:]) if "agreement" in name else None},
        )
        for name in shares
    )
    results = [make_debated(name, share) for name, share in shares.items()]
    runs = gather_runs(results, StudyRow(name="s", baseline=None, arms=arms))
    [chart] = boxes.analyse_boxes(runs).charts
    order = list(dict.fromkeys(row["protocol"] for row in chart.rows))
    assert order == ["society-of-minds", "multi-persona"]
    told = [row["told"] for row in chart.rows if row["protocol"] == "multi-persona"]
    assert told == [True, True, False, False]
    layers = [part for part in walk(json.loads(draw_chart(chart, "vega"))) if "mark" in part]
    marks = [(part["mark"].get("type"), part["mark"].get("shape"), part) for part in layers]
    summed = [part for kind, shape, part in marks if kind == "boxplot" or shape == "diamond"]
    assert len(summed) == 2
    assert all(part["transform"][0] == {"filter": "!datum['told']"} for part in summed)


def walk(spec):
    """Every mapping within a definition."""
    if isinstance(spec, dict):
        yield spec
    for each in spec.values() if isinstance(spec, dict) else spec:
        if isinstance(each, dict | list):
            yield from walk(each)


def _wire(edges, nodes):
    result = make_result("net", nodes=dict.fromkeys(nodes, make_result().accuracy))
    arm = Arm(name="net", protocol="network", settings={"edges": edges})
    return MeasuredArm(result, arm, "net")


def test_a_network_is_drawn_in_layers_with_chains_level():
    edges = [["C1", "judge"], ["C2", "C3"], ["C3", "C4"], ["C4", "judge"]]
    drawn = network_graph.place_network(_wire(edges, ["C1", "C2", "C3", "C4"]))
    across = {name: x for name, (x, _) in drawn.spots.items()}
    assert across == {"C1": 1, "C2": 1, "C3": 2, "C4": 3, "judge": 4}
    assert len({drawn.spots[name][1] for name in ("C2", "C3", "C4")}) == 1
    assert not drawn.both
