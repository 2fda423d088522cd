"""What the charts of analyses show of which runs."""

import pytest
from msgspec.structs import replace

from moot.analyses import boxes
from moot.core.results import Mean, Measure
from moot.core.stored import Arm, StudyRow
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
