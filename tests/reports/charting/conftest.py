"""A run with everything that figures show."""

import pytest

from moot.core.results import ArmResult, Difference, Flips, Mean, Measure, Results
from moot.core.stored import Arm, StudyRow
from moot.debate.graph import PRESETS
from moot.reports.charting.chart import draw_charts
from moot.reports.charting.chart_arms import gather_arms

BEHAVIOUR = ("consensus-accuracy", "any-correct", "change-rate", "first-diversity", "unanimous")


def _mean(share, questions=20):
    if share is None:
        return Mean()
    low, high = max(0.0, share - 0.1), min(1.0, share + 0.1)
    return Mean(mean=share, low=low, high=high, n=questions, questions=questions)


def _measure(mean, n=20):
    return Measure() if mean is None else Measure(total=mean * n, known=n)


def _result(arm="single", accuracy=0.5, dataset="medqa", **given):
    values = {
        "simulated": False,
        "n": 20,
        "failed": 0,
        "unparsed": 0,
        "first_accuracy": 0.5,
        "difference": None,
        "flips": None,
        "oracle_gap": 0.1,
        "calls": 20,
        "replayed": 0,
        "retries": 0,
        "cached_tokens": Measure(),
        "others": {},
    }
    values |= {"prompt_tokens": _measure(100.0), "completion_tokens": _measure(50.0)}
    values |= {"cost": _measure(0.001), "seconds": _measure(2.0)}
    return ArmResult(dataset=dataset, arm=arm, accuracy=_mean(accuracy), **values | given)


def _debated(arm, accuracy, **given):
    """An arm whose agents spoke in three rounds."""
    others = {name: _measure(accuracy * (k + 1) / 6) for k, name in enumerate(BEHAVIOUR)}
    others |= {"first-consensus": _measure(accuracy), "gain-to-last": _measure(0.1)}
    others |= {"gain-to-verdict": _measure(-0.05)}
    flips = Flips(wrong_to_right=5, right_to_wrong=3, kept_right=20, kept_wrong=12)
    values = {
        "calls": 120,
        "cost": _measure(0.01 * accuracy),
        "seconds": _measure(9.0),
        "difference": Difference(mean=accuracy - 0.5, low=accuracy - 0.6, high=accuracy - 0.4),
        "flips": flips,
        "others": others,
        "rounds": {k: _mean(accuracy - 0.02 * k) for k in (1, 2, 3)},
        "round_flips": {2: flips, 3: flips},
    }
    return _result(arm, accuracy, **values | given)


def _arms(dataset, plus=0.0, **given):
    nodes = {name: _mean(0.5 + plus) for name in ("C1", "C2", "C3", "C4")}
    return (
        _result("single", 0.5 + plus, dataset, **given),
        _debated("society rounds=2", 0.6 + plus, dataset=dataset, **given),
        _debated("society rounds=3", 0.55 + plus, dataset=dataset, **given),
        *(
            _debated(f"persona agreement={told}", 0.4 + told / 500, dataset=dataset, **given)
            for told in (0, 50, 90)
        ),
        _result("net", 0.7 + plus, dataset, nodes=nodes, calls=180, **given),
        _result("hopfield", 0.65 + plus, dataset, nodes=nodes, calls=180, **given),
    )


STUDY = StudyRow(
    name="trial",
    baseline="single",
    arms=(
        Arm(name="single", protocol="single", settings={"style": "cot"}),
        *(
            Arm(
                name=f"society rounds={rounds}",
                protocol="society-of-minds",
                settings={"rounds": rounds, "agreement": None},
            )
            for rounds in (2, 3)
        ),
        *(
            Arm(
                name=f"persona agreement={told}",
                protocol="multi-persona",
                settings={"rounds": 3, "agreement": told},
            )
            for told in (0, 50, 90)
        ),
        Arm(
            name="net",
            protocol="network",
            settings={"edges": [list(edge) for edge in PRESETS["short-long"]]},
        ),
        Arm(name="hopfield", protocol="hopfield", settings={}),
    ),
)


def _results(*arms, run="trial-1", baseline="single"):
    simulated = any(arm.simulated for arm in arms)
    return Results(run=run, name="trial", simulated=simulated, baseline=baseline, arms=arms)


@pytest.fixture(scope="session")
def result():
    return _result


@pytest.fixture(scope="session")
def results():
    return _results


@pytest.fixture(scope="session")
def debated():
    return _debated


@pytest.fixture(scope="session")
def study():
    return STUDY


@pytest.fixture(scope="session")
def whole():
    """Results on two datasets, in which every agent is simulated."""
    return _results(*_arms("medqa", simulated=True), *_arms("ciar", 0.1, simulated=True))


@pytest.fixture(scope="session")
def shown(whole, study):
    return gather_arms([whole], {whole.run: study})


@pytest.fixture(scope="session")
def drawn(whole, study):
    """Every figure of them, by name."""
    return {chart.name: chart for chart in draw_charts([whole], {whole.run: study})}
