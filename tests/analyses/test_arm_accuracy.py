"""The analysis of accuracy and price: its tables, its families, its chart."""

from msgspec.structs import replace

from moot.analyses.arm_accuracy import correct_family, report_accuracy
from moot.core.results import Difference

GAP = Difference(
    mean=0.1, low=-0.05, high=0.25, pairs=60, questions=60, better=14, worse=8, p=0.02, p_holm=0.04
)


def tables(found, **options):
    """The tables of a report by their titles."""
    return {table.title: table for table in report_accuracy(found, **options).tables}


def test_where_no_right_answer_is_known_there_is_the_price_alone(rows, results):
    unknown = [replace(each, values=each.values | {"accuracy": None}) for each in rows()]
    [grid] = [each for title, each in tables(results(unknown)).items() if title == "sums"]
    names = [column.name for column in grid.columns]
    assert names == ["Arm", "Debates", "Failed", "Unparsed", "Calls", "Tokens", "Cost", "Time"]
    assert "Accuracy" not in grid.note


def test_the_family_that_p_is_corrected_for_is_stated(rows, results):
    """Six arms: two models with a baseline each, on two datasets; every p is 0.01."""
    gap = replace(GAP, p=0.01, p_holm=0.04)
    full = results(rows())
    base, arm = full.arms
    arms = [
        replace(each, arm=f"{name} {model}", dataset=dataset, baseline=f"base {model}", budget=())
        for dataset in ("sums", "other")
        for model in "ab"
        for name, each in (
            ("base", replace(base, difference=None)),
            ("one", replace(arm, difference=gap)),
            ("two", replace(arm, difference=gap)),
        )
    ]
    made = replace(full, arms=tuple(arms))
    p = {}
    for family in ("dataset", "model", "all"):
        grid = tables(correct_family(made, family), family=family)["sums"]
        p[family] = {round(c[3].sort, 3) for c in grid.shown if c[3].sort is not None}
        assert {row.band for row in grid.rows} == {"baseline base a", "baseline base b"}
    assert p == {"dataset": {0.04}, "model": {0.02}, "all": {0.08}}
    note = tables(made, family="all")["sums"].note
    assert "corrected by Holm for all methods of all datasets." in note
