"""A comparison as it stands in a terminal."""

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from moot.analyses.comparison import ArmComparison, ComparedArm
from moot.analyses.comparison_tables import tabulate_comparison
from moot.core.results import Difference, Mean
from moot.reports.terminal import show_report

GAP = Difference(
    mean=0.5, low=0.2, high=0.8, pairs=10, questions=10, better=5, worse=0, p=0.0625, p_holm=0.125
)
OF = {"simulated": False, "calls": 1.0, "tokens": 50.0, "cost": None, "left_out": 3}
LOW, HIGH = (Mean(mean=mean, low=0.1, high=0.9, n=10, questions=10) for mean in (0.3, 0.8))
FOUND = ArmComparison(
    dataset="sums",
    first=ComparedArm(run="old-1", arm="single", accuracy=LOW, **OF),
    second=ComparedArm(run="new-1", arm="society", accuracy=HIGH, **OF),
    difference=GAP,
    only_first=(),
    only_second=("q10", "q9", "q2"),
)


def printed(*found, limit=20):
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=True, color_system=None).print(
        show_report(tabulate_comparison(found, limit=limit))
    )
    assert max(map(len, out.getvalue().splitlines())) <= 80
    return " ".join(out.getvalue().split())


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        ({"p_holm": 0.01}, "(0.010 after Holm): the second is right more often."),
        ({"p_holm": 0.01, "low": -0.8, "high": -0.1}, "the first is right more often."),
        ({"p_holm": 0.01, "low": -0.1}, "no clear difference."),
        ({"p_holm": 0.0625}, "p = 0.062: no clear difference."),
        ({"low": None, "high": None}, "too few questions to tell."),
        ({"smallest": 0.31}, "Smallest difference so many questions show: 31.0 points."),
        ({"pairs": 30}, "3 questions more often right in the second"),
    ],
)
def test_the_verdict_follows_from_interval_and_corrected_p(gap, said):
    assert said in printed(replace(FOUND, difference=replace(GAP, **gap)))


def test_what_is_simulated_is_said_and_many_pairs_have_a_row_each():
    found = [
        replace(FOUND, dataset=f"sums {k}", difference=replace(GAP, smallest=0.9, p_holm=p))
        for k, p in enumerate((0.02, 0.5, 0.5, 0.5, 0.5))
    ]
    simulated = replace(FOUND, second=replace(FOUND.second, simulated=True))
    assert printed(FOUND, simulated).count("society (simulated)") == 1
    text = printed(*found, simulated)
    assert text.startswith("SIMULATED: no language model takes part")
    assert "society minus single, on sums 0: +50.0 points" in text
    assert "5 of 6 differences not shown." in text
    assert "right only in the second" not in text
