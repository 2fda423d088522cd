"""What the charts of analyses show of which runs."""

import pytest
from msgspec.structs import replace

from moot.core.results import Mean, Measure
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
