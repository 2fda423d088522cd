"""The tables, whatever they are written in."""

import pytest
from msgspec.structs import replace

from moot.analyses.accuracy_tables import (
    list_arms,
    tabulate_accuracies,
    tabulate_budgets,
    tabulate_results,
    tabulate_rounds,
    tabulate_variances,
)
from moot.core.results import Difference, EqualBudget, Flips, Mean, Saved, Variance

GAP = Difference(
    mean=0.1, low=-0.05, high=0.25, pairs=60, questions=60, better=14, worse=8, p=0.02, p_holm=0.04
)


def shown(grid):
    """Each row as the texts of its cells, intervals in brackets."""
    return [
        [f"{cell.text} ({cell.interval})" if cell.interval else cell.text for cell in cells]
        for cells in grid.shown
    ]


@pytest.fixture
def full(rows, results):
    """A run whose second arm has all that an arm can have."""
    made = results(rows())
    spread = Variance(question=0.04, seed=0.01, share=0.8)
    budget = EqualBudget(
        matched="cost",
        pool="draws",
        samples=5.5,
        spent=0.02,
        short=3,
        accuracy=Mean(mean=0.6, low=0.5, high=0.7, n=60, questions=60),
        difference=GAP,
    )
    single, society = made.arms
    society = replace(society, variance=spread, budget=(budget,))
    return replace(made, arms=(single, society), saved=Saved(calls=9, paid=4, cost=1.5, tokens=70))


def test_of_one_run_and_dataset_a_row_is_known_by_its_arm(full):
    grid = tabulate_accuracies(list_arms([full]))
    assert [column.name for column in grid.columns if column.is_text] == ["Arm"]
    assert [row.marked for row in grid.rows] == [True, False]
    assert shown(grid) == [
        ["single", "50.0 (11.8 … 88.2)", "baseline", "", "", "6", "1", "60", "$0.001", "500 ms"],
        [
            *("society", "100.0 (54.1 … 100.0)", "+50.0 (+16.7 … +83.3)", "0.25"),
            *("96.4", "6", "6", "360", "$0.006", "1.0 s"),
        ],
    ]


def test_what_only_a_page_has_room_for(full):
    single = tabulate_accuracies(list_arms([full])).shown[0]
    assert [cell.more for cell in single if cell.more] == [
        ("1 failure", "1 unparsed"),
        ("6 in all",),
        ("50 + 10",),
        ("$0.006 in all",),
    ]
    other = replace(full.arms[1], difference=GAP)
    p = tabulate_accuracies(list_arms([replace(full, arms=(full.arms[0], other))])).shown[1][3]
    assert (p.text, p.more, p.sort) == ("0.040", ("0.020 uncorrected", "14 ▲ 8 ▼"), 0.04)


def test_of_several_it_is_known_by_run_and_dataset_besides(full):
    other = replace(full, run="trial-2", arms=(replace(full.arms[0], dataset="other"),))
    grid = tabulate_accuracies(list_arms([full, other]))
    assert [column.name for column in grid.columns if column.is_text] == ["Run", "Dataset", "Arm"]
    assert [row[:3] for row in shown(grid)] == [
        ["trial-1", "sums", "single"],
        ["trial-1", "sums", "society"],
        ["trial-2", "other", "single"],
    ]


def test_self_consistency_at_the_same_price(full):
    (cells,) = tabulate_budgets(list_arms([full])).shown
    assert [cell.text for cell in cells] == [
        *("society", "money", "100.0", "60.0", "+10.0", "0.040", "–", "5.5", "3"),
    ]
    assert cells[7].more == ("$0.020", "from draws")


def test_round_by_round(full):
    assert [row[0] for row in shown(tabulate_rounds(list_arms([full])))] == ["society", "society"]
    flips = {2: Flips(wrong_to_right=1, right_to_wrong=2, kept_right=3, kept_wrong=4)}
    got = {1: Mean(mean=0.5, n=6, questions=6), 2: Mean(mean=0.75, n=5, questions=5)}
    arm = replace(full.arms[1], rounds=got, round_flips=flips)
    assert shown(tabulate_rounds(list_arms([replace(full, arms=(arm,))]))) == [
        ["society", "1", "50.0", "6", "–", "–", "–", "–"],
        ["society", "2", "75.0", "5", "3", "1", "2", "4"],
    ]


def test_the_spread_in_points(full):
    assert shown(tabulate_variances(list_arms([full]))) == [["society", "20.0", "10.0", "80.0"]]


def test_only_tables_with_a_row(full, results):
    assert len(tabulate_results([full])) == 6
    assert tabulate_results([results([])]) == []
    bare = replace(full, arms=full.arms[:1])
    accuracy, price = tabulate_results([bare])
    assert (accuracy.title, price.title) == ("Accuracy", "Price")
    assert [len(grid.columns) for grid in (accuracy, price)] == [6, 5]
    assert shown(price) == [["single", "1", "60", "$0.001", "500 ms"]]
    assert [row.marked for row in price.rows] == [True]
