"""What the charts of analyses show of which runs."""

import json
import re
from itertools import pairwise

import pytest
from msgspec.structs import replace

from moot.analyses import boxes, improvements, network_graph
from moot.analyses.analysis import registry
from moot.analyses.measured_arms import MeasuredArm, label_arms
from moot.analyses.transfer import Transfer, TransferScores
from moot.analyses.transfer_chart import chart_transfer
from moot.core.chart import Plot
from moot.core.errors import InputError
from moot.core.results import Difference, Mean, Measure
from moot.core.stored import Arm, StudyRow
from moot.reports.drawings import draw_chart
from support.charted_runs import (
    STUDY,
    draw,
    gather_runs,
    make_debated,
    make_result,
    make_runs,
    make_whole,
    texts_of,
)

EACH = ("tradeoff", "improvement", "behaviour", "rounds", "flips")


@pytest.fixture(scope="module")
def whole():
    return make_whole()


@pytest.fixture(scope="module")
def drawn(whole):
    return draw(whole)


def test_every_analysis_draws_what_the_runs_have(drawn):
    names = {f"{name}-{dataset}" for name in EACH for dataset in ("medqa", "ciar")}
    names |= {
        f"network-{dataset}-{net}" for dataset in ("medqa", "ciar") for net in ("net", "hopfield")
    }
    assert set(drawn) == names | {"boxes", "gains", "agreement-multi-persona"}


def test_each_chart_says_what_is_simulated_how_many_questions_and_where_it_is_from(drawn):
    for chart in drawn.values():
        texts = " ".join(texts_of(chart))
        assert "SIMULATED" in texts
        assert "20 questions" in texts
        assert not re.search("undefined|null|NaN|Infinity", texts), chart.name
        if not chart.name.startswith(("rounds", "flips", "improvement")):
            assert "After " in chart.caption


def test_no_text_in_a_picture_is_cut(drawn):
    for chart in drawn.values():
        assert "…" not in " ".join(texts_of(chart))


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


def test_an_arm_whose_price_is_unknown_is_told():
    arms = [make_result("a"), make_result("b"), make_result("c", cost=Measure())]
    [chart] = draw(make_runs(*arms), "tradeoff").values()
    assert "1 of 3 arms not shown: cost unknown" in chart.notes


def test_improvement_is_in_parts_of_the_baseline():
    gap = Difference(mean=0.1, low=0.05, high=0.15, pairs=20, questions=20)
    runs = make_runs(make_result("single", 0.5), make_result("b", 0.6, difference=gap))
    [chart] = draw(runs, "improvement").values()
    [row] = chart.rows
    got = row["relative"], row["low"], row["high"], row["unsure"]
    assert got == pytest.approx((0.2, 0.1, 0.3, False))
    assert "Baseline: single" in chart.caption
    never = make_runs(make_result("single", 0.0), make_result("b", 0.6, difference=gap))
    assert draw(never, "improvement") == {}


def test_gains_are_in_parts_of_the_first_answers():
    arm = make_debated("a", 0.6)
    assert improvements.relative_gain(arm, "gain-to-last") == pytest.approx(0.2)
    assert improvements.relative_gain(arm, "gain-to-verdict") == pytest.approx(-0.1)
    assert improvements.relative_gain(replace(arm, first_accuracy=0.0), "gain-to-last") is None
    assert improvements.relative_gain(arm, "none") is None


def test_several_models_are_panels_each_with_its_own_baseline():
    arms = tuple(
        Arm(name=f"{kind} model={model}", protocol=kind, settings={"model": model, "rounds": 2})
        for model in ("one", "two")
        for kind in ("single", "society-of-minds")
    )
    gap = Difference(mean=0.1, low=0.05, high=0.15, pairs=20, questions=20)
    results = [
        replace(
            make_result(arm.name, share, difference=gap),
            baseline=f"single model={arm.settings['model']}",
        )
        for arm, share in zip(arms, (0.5, 0.6, 0.2, 0.3), strict=True)
    ]
    runs = gather_runs(results, StudyRow(name="s", baseline=None, arms=arms), baseline=None)
    runs.joined = replace(runs.joined, arms=tuple(results))
    [chart] = draw(runs, "improvement").values()
    assert {row["model"]: round(row["relative"], 6) for row in chart.rows} == {
        "one": 0.2,
        "two": 0.5,
    }
    assert chart.plot.panel == "model"
    [chart] = draw(runs, "tradeoff").values()
    assert chart.plot.panel == "model"
    assert {row["arm"] for row in chart.rows} == {"single", "society-of-minds"}


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


def test_datasets_whose_names_make_one_file_name_have_two():
    arms = [make_result(name, dataset=dataset) for dataset in ("é?", "é!") for name in "ab"]
    names = list(draw(make_runs(*arms), "tradeoff"))
    assert names == ["tradeoff", "tradeoff-2"]


def test_an_arm_whose_settings_are_long_keeps_its_name():
    nodes = [{"name": f"C{k}", "protocol": "society-of-minds"} for k in range(9)]
    arms = [
        Arm(name=f"network graph={graph},agents=2", protocol="network", settings={"nodes": own})
        for graph, own in (("cascade", nodes), ("chain", nodes[:2]))
    ]
    labels = label_arms(arms)
    assert list(labels.values()) == [
        "network graph=cascade agents=2",
        "network graph=chain agents=2",
    ]


def test_twelve_arms_have_twelve_names_whole_in_the_legend():
    arms = tuple(
        Arm(
            name=f"society-of-minds agents={a},rounds={r},summary=true,temperature=0.7",
            protocol="society-of-minds",
            settings={"agents": a, "rounds": r, "summary": True, "temperature": 0.7},
        )
        for a in (2, 3, 4)
        for r in (2, 3, 4, 5)
    )
    results = [make_debated(arm.name, 0.3 + k / 50) for k, arm in enumerate(arms)]
    runs = gather_runs(results, StudyRow(name="s", baseline=None, arms=arms))
    [chart] = [each for name, each in draw(runs, "rounds").items() if name.startswith("rounds")]
    texts = "\n".join(texts_of(chart))
    for arm in arms:
        words = f"society-of-minds agents={arm.settings['agents']} rounds={arm.settings['rounds']}"
        assert words in texts


def test_arms_that_differ_in_agreement_alone_are_a_curve_of_three_points_or_more(whole):
    [chart] = draw(whole, "agreement").values()
    assert [row["value"] for row in chart.rows] == [0, 50, 90] * 2
    assert {row["curve"] for row in chart.rows} == {"medqa", "ciar"}
    assert [axis.field for axis in chart.plot.across] == ["value", "first-agreement"]
    assert [axis.steps for axis in chart.plot.across] == [True, False]
    differ = {
        (each.dataset, each.arm): each.others["first-diversity"].mean
        for each in whole.joined.arms
        if each.others
    }
    for row in chart.rows:
        assert row["first-agreement"] == 1 - differ[row["dataset"], row["arm"]]
    arms = tuple(arm for arm in STUDY.arms if arm.settings.get("agreement") != 50)
    results = [each for each in whole.joined.arms if "agreement=50" not in each.arm]
    runs = gather_runs(results, replace(STUDY, arms=arms))
    assert draw(runs, "agreement") == {}


def _grow_result(name, k, dataset):
    got = make_result(name, 0.3 + k / 10, dataset, calls=20 * (k + 1))
    taken = {name: getattr(got, name) for name in ("cost", "prompt_tokens", "completion_tokens")}
    more = {name: replace(old, total=old.total * (k + 1)) for name, old in taken.items()}
    return replace(got, **more)


def _grow(setting, values, protocol="self-consistency", **settings):
    arms = tuple(
        Arm(name=f"{setting}={v}", protocol=protocol, settings={setting: v, **settings})
        for v in values
    )
    results = [
        _grow_result(arm.name, k, dataset)
        for dataset in ("medqa", "gsm8k")
        for k, arm in enumerate(arms)
    ]
    return gather_runs(results, StudyRow(name="s", baseline=None, arms=arms))


def test_arms_that_differ_in_size_stand_over_it_and_over_its_price():
    [chart] = draw(_grow("samples", (1, 3, 5)), "scaling").values()
    assert chart.name == "scaling-samples-self-consistency"
    assert {row["curve"] for row in chart.rows} == {"medqa", "gsm8k"}
    fields = ["value", "calls", "tokens", "cost"]
    assert [axis.field for axis in chart.plot.across] == fields
    assert [row["calls"] for row in chart.rows] == [1, 2, 3] * 2
    assert draw(_grow("samples", (1, 3)), "scaling") == {}


def test_temperatures_have_a_line_for_each_dataset():
    [chart] = draw(_grow("temperature", (0.0, 0.7, 1.2), samples=4), "temperature").values()
    assert {row["curve"] for row in chart.rows} == {"medqa", "gsm8k"}
    assert [row["value"] for row in chart.rows] == [0.0, 0.7, 1.2] * 2


def test_openings_of_arms_that_differ_in_nothing_else_are_drawn_together():
    had = {"model": "m", "distance": "near", "cast": []}
    arms = tuple(
        Arm(
            name=f"{kind} {opening} {distance}",
            protocol=kind,
            settings={**had, "opening": opening, "distance": distance},
        )
        for kind, opening, distance in (
            ("self-consistency", "control-wrong", "near"),
            ("self-consistency", "open", "near"),
            ("debate-moderated", "open", "near"),
            ("debate-moderated", "control-wrong", "far"),
            ("single", "open", "near"),
        )
    )
    results = [make_result(arm.name, 0.3 + k / 20) for k, arm in enumerate(arms)]
    [chart] = draw(
        gather_runs(results, StudyRow(name="s", baseline=None, arms=arms)), "openings"
    ).values()
    seen = {(row["group"], row["opening"]): row["accuracy"] for row in chart.rows}
    assert {key: round(20 * (value - 0.3)) for key, value in seen.items()} == {
        ("self-consistency", "open"): 1,
        ("debate-moderated", "open"): 2,
        ("self-consistency", "wrong (near)"): 0,
        ("debate-moderated", "wrong (far)"): 3,
    }


def test_boxes_are_sorted_by_their_means_and_have_a_panel_for_each_dataset(whole):
    [chart] = boxes.analyse_boxes(whole).charts
    first = [row for row in chart.rows if row["panel"] == "medqa"]
    order = list(dict.fromkeys(row["protocol"] for row in first))
    means = [
        sum(row["accuracy"] for row in own) / len(own)
        for kind in order
        for own in [[row for row in first if row["protocol"] == kind]]
    ]
    assert means == sorted(means, reverse=True)
    assert {row["panel"] for row in chart.rows} == {"medqa", "ciar"}
    assert all(row["told"] == ("agreement=" in row["arm"]) for row in first)


def test_arms_that_are_told_how_far_to_agree_are_in_no_box_mean_or_order():
    """Counted from what is drawn: the rows that the filters of boxes and means let through."""
    told = [make_debated(f"persona agreement={k}", share) for k, share in ((0, 0.9), (90, 0.95))]
    free = [make_debated(f"persona rounds={k}", share) for k, share in ((2, 0.2), (4, 0.3))]
    others = [make_debated(f"society rounds={k}", share) for k, share in ((2, 0.4), (3, 0.5))]
    arms = tuple(
        Arm(
            name=each.arm,
            protocol="multi-persona" if each.arm.startswith("persona") else "society-of-minds",
            settings={"agreement": int(each.arm[18:]) if "agreement" in each.arm else None},
        )
        for each in (*told, *free, *others)
    )
    runs = gather_runs([*told, *free, *others], StudyRow(name="s", baseline=None, arms=arms))
    [chart] = boxes.analyse_boxes(runs).charts
    order = list(dict.fromkeys(row["protocol"] for row in chart.rows))
    assert order == ["society-of-minds", "multi-persona"]
    assert [row["told"] for row in chart.rows if row["protocol"] == "multi-persona"] == [
        *[True] * 2,
        *[False] * 2,
    ]
    spec = json.loads(draw_chart(chart, "vega"))
    layers = [part for part in walk(spec) if "mark" in part]
    boxed = [part for part in layers if part["mark"].get("type") == "boxplot"]
    means = [part for part in layers if part["mark"].get("shape") == "diamond"]
    assert len(boxed) == len(means) == 1
    for part in (*boxed, *means):
        assert part["transform"][0] == {"filter": "!datum['told']"}


def walk(spec):
    """Every mapping within a definition."""
    if isinstance(spec, dict):
        yield spec
    for each in spec.values() if isinstance(spec, dict) else spec:
        if isinstance(each, dict | list):
            yield from walk(each)


def test_transfer_is_of_the_arm_that_was_chosen_on_held_out_datasets():
    def score(protocol, dataset, same):
        got = {"average": Mean(mean=0.5, n=9, questions=9), "best": Mean(mean=0.9)}
        got |= {"folds": Mean(mean=0.8), "same_domain": Mean(mean=same, n=9, questions=9)}
        empty = {name: Mean() for name in ("other_domain", "tuning", "transfer")}
        return TransferScores(
            protocol=protocol, domain="medical", dataset=dataset, arms=3, **got, **empty
        )

    overall = (score("single", None, 0.4), score("chateval", None, 0.7))
    found = Transfer(
        run="r", name="n", simulated=False, folds=5, seed=0,
        domains={"medical": ("medqa", "mmlu")}, overall=overall, datasets=(),
    )  # fmt: skip
    [chart] = chart_transfer(found)
    assert [(row["protocol"], row["accuracy"]) for row in chart.rows] == [
        ("chateval", 0.7),
        ("single", 0.4),
    ]
    assert {row["single"] for row in chart.rows} == {0.4}
    assert "chosen on the other datasets of the domain" in chart.caption


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


@pytest.mark.parametrize("edges", [[], [["a", "b"], ["b", "a"]], [["a", "judge"], ["b", "x"]]])
def test_without_a_graph_nodes_stand_in_a_circle(edges):
    drawn = network_graph.place_network(_wire(edges, list("abcdef")))
    assert drawn.both
    assert len(set(drawn.spots.values())) == 6
    assert len(drawn.edges) == 15


def test_nodes_of_a_layer_do_not_cover_one_another():
    first, second = [f"A{k}" for k in range(5)], [f"B{k}" for k in range(4)]
    edges = [[a, b] for a in first for b in second] + [[b, "judge"] for b in second]
    spots = network_graph.place_network(_wire(edges, first + second)).spots
    levels = sorted(spots[name][1] for name in second)
    assert all(b - a >= 1 - 1e-9 for a, b in pairwise(levels))


def test_a_network_is_the_only_chart_that_brings_its_own_definition(drawn):
    own = {name for name, chart in drawn.items() if not isinstance(chart.plot, Plot)}
    assert own == {name for name in drawn if name.startswith("network")}


def test_an_analysis_says_what_the_runs_lack():
    with pytest.raises(InputError, match="no agent can speak twice"):
        registry.get("gains").function(make_runs(make_result()))


def test_the_table_behind_a_chart_has_its_rows(whole):
    report = registry.get("tradeoff").function(whole)
    [table, _] = report.tables
    assert [column.name for column in table.columns][:2] == ["arm", "accuracy %"]
    assert len(table.rows) == len(report.charts[0].rows)
    assert table.rows[0].cells[1].low is not None
