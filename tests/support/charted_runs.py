"""Runs with everything that charts show, made of results and settings alone."""

import html
import re
from types import SimpleNamespace

from msgspec.structs import replace

from moot.analyses.analysis import registry
from moot.core.errors import InputError
from moot.core.results import Difference, Flips, Mean, Measure, Results
from moot.core.stored import Arm, StudyRow
from moot.debate.graph import PRESETS
from moot.reports.drawings import draw_chart
from support.results import arm_result

BEHAVIOUR = (
    "consensus-accuracy",
    "any-correct",
    "change-rate-of-all",
    "first-diversity",
    "unanimous",
)


def _mean(share, questions=20):
    if share is None:
        return Mean()
    low, high = max(0.0, share - 0.1), min(1.0, share + 0.1)
    return Mean(mean=share, low=low, high=high, n=questions, questions=questions)


def _measure(mean, n=20):
    return Measure() if mean is None else Measure(total=mean * n, known=n)


def make_result(arm="single", accuracy=0.5, dataset="medqa", **given):
    values = {"n": 20, "calls": 20, "first_accuracy": 0.5, "oracle_gap": 0.1}
    values |= {"prompt_tokens": _measure(100.0), "completion_tokens": _measure(50.0)}
    values |= {"cost": _measure(0.001), "seconds": _measure(2.0), "accuracy": _mean(accuracy)}
    return arm_result(dataset=dataset, arm=arm, **values | given)


def make_debated(arm, accuracy, **given):
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
    return make_result(arm, accuracy, **values | given)


def _arms(dataset, plus=0.0, **given):
    nodes = {name: _mean(0.5 + plus) for name in ("C1", "C2", "C3", "C4")}
    return (
        make_result("single", 0.5 + plus, dataset, **given),
        make_debated("society rounds=2", 0.6 + plus, dataset=dataset, **given),
        make_debated("society rounds=3", 0.55 + plus, dataset=dataset, **given),
        *(
            make_debated(f"persona agreement={told}", 0.4 + told / 500, dataset=dataset, **given)
            for told in (0, 50, 90)
        ),
        make_result("net", 0.7 + plus, dataset, nodes=nodes, calls=180, **given),
        make_result("hopfield", 0.65 + plus, dataset, nodes=nodes, calls=180, **given),
    )


def _arm(name, protocol, **settings):
    return Arm(name=name, protocol=protocol, settings=settings)


STUDY = StudyRow(
    name="trial",
    baseline="single",
    arms=(
        _arm("single", "single", style="cot"),
        *(
            _arm(f"society rounds={n}", "society-of-minds", rounds=n, agreement=None)
            for n in (2, 3)
        ),
        *(
            _arm(f"persona agreement={told}", "multi-persona", rounds=3, agreement=told)
            for told in (0, 50, 90)
        ),
        _arm("net", "network", edges=[list(edge) for edge in PRESETS["short-long"]]),
        _arm("hopfield", "hopfield"),
    ),
)


ANALYSES = (
    *("tradeoff", "boxes", "improvement", "gains", "agreement", "openings", "scaling"),
    *("temperature", "behaviour", "rounds", "network"),
)


def make_runs(*arms, study=STUDY, baseline="single"):
    return gather_runs(arms, study, baseline=baseline)


def gather_runs(arms, study, baseline="single"):
    """Runs with these results and the arms of a study; an arm without one has this baseline."""
    names = {arm.name for arm in study.arms}
    told = tuple(replace(arm, baseline=baseline) for arm in arms)
    more = tuple(
        Arm(name=arm.arm, protocol=arm.arm.partition(" ")[0], settings={})
        for arm in arms
        if arm.arm not in names
    )
    simulated = any(arm.simulated for arm in arms)
    joined = Results(run="trial-1", name="trial", simulated=simulated, baseline=baseline, arms=told)
    return SimpleNamespace(
        key="trial-1", name="trial", joined=joined, arms=(*study.arms, *more), values=()
    )


def make_whole():
    """Results on two datasets, in which every agent is simulated."""
    return make_runs(*_arms("medqa", simulated=True), *_arms("ciar", 0.1, simulated=True))


def draw(runs, *names):
    """The charts of analyses by name, of those that have something to show."""
    charts = {}
    for name in names or ANALYSES:
        try:
            report = registry.get(name).function(runs)
        except InputError:
            continue
        charts |= {chart.name: chart for chart in report.charts}
    return charts


def texts_of(chart, style=None):
    svg = draw_chart(chart, "svg", *([style] if style else [])).decode()
    assert not re.search(r'(?:d|transform)="[^"]*NaN', svg)
    return [html.unescape(text) for text in re.findall(r"<t(?:ext|span)[^>]*>([^<]+)<", svg)]
