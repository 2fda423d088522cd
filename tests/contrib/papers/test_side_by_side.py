"""Values beside ours: which cell is taken, and how the three lines are shown."""

from decimal import Decimal

import msgspec
import pytest

from moot import Cell, Column, Report, ResultTable, TableRow
from moot.contrib.papers.published import (
    Misprint,
    OurColumn,
    OurTable,
    PublishedRow,
    PublishedTable,
)
from moot.contrib.papers.side_by_side import compare_table, tabulate_beside
from moot.extend.analyses import Mean

LABELS = {"MedQA": "medqa", "MMLU": "mmlu"}
PUBLISHED = PublishedTable(
    table="table 9",
    title="Accuracy",
    place="section 9",
    unit="percent",
    columns=["MedQA", "MMLU"],
    rows=[
        PublishedRow("Two", [Decimal("60.0"), Decimal("50.04")]),
        PublishedRow("Ten", [Decimal("70.0"), Decimal("nan")]),
    ],
    n=[100, 50],
    misprints=[Misprint("Ten", "MedQA", "It cannot be.")],
)


def make_report(*, leading=()):
    """An analysis with a row for two and ten agents, and counts that look like them."""
    medqa = Mean(mean=0.55, low=0.5, high=0.65, n=10, questions=10)
    mmlu = Mean(mean=0.8, low=0.7, high=0.9, n=10, questions=10)
    columns = (
        Column("agents", "count"),
        Column("accuracy %", "percent", group="medqa"),
        Column("accuracy %", "percent", group="mmlu"),
        Column("debates", "count"),
    )
    rows = [
        TableRow([2.0, Cell(medqa), mmlu, 10], band="vote"),
        TableRow([10.0, mmlu, medqa, 10], band="vote"),
    ]
    return Report("An analysis", "", [*leading, ResultTable("Accuracy by agents", columns, rows)])


OURS = OurTable(
    table="table 9",
    studies=["x"],
    analysis="y",
    title="Accuracy",
    column=("{column}", "accuracy %"),
    rows={"Two": ["vote", 2], "Ten": ["vote", 10]},
)


def test_a_row_is_found_by_what_stands_before_its_value():
    found = compare_table(PUBLISHED, OURS, make_report(), LABELS)
    assert [(each.row, each.column, each.ours) for each in found] == [
        ("Two", "MedQA", 0.55),
        ("Two", "MMLU", 0.8),
        ("Ten", "MedQA", 0.8),
        ("Ten", "MMLU", 0.55),
    ]
    assert [each.within for each in found] == [True, False, True, None]
    assert found[0].difference == pytest.approx(-0.05)
    assert found[3].difference is None
    assert [each.n for each in found] == [100, 50, 100, 50]
    assert found[2].doubts == ("It cannot be.",)


def test_a_misprinted_heading_stands_beside_what_it_is_of():
    import msgspec

    swapped = msgspec.structs.replace(OURS, stands_for={"MedQA": "MMLU", "MMLU": "MedQA"})
    found = compare_table(PUBLISHED, swapped, make_report(), LABELS)
    assert [each.ours for each in found] == [0.8, 0.55, 0.55, 0.8]


def test_a_column_may_need_more_of_its_row_or_another_table():
    import msgspec

    columns = {
        "MedQA": OurColumn(("medqa", "accuracy %"), where=[10]),
        "MMLU": OurColumn(("mmlu", "accuracy %"), where=[2], title="Elsewhere"),
    }
    ours = msgspec.structs.replace(OURS, columns=columns, rows={})
    found = compare_table(PUBLISHED, ours, make_report(), LABELS)
    assert [each.ours for each in found] == [0.8, None, 0.8, None]


def test_a_price_is_for_as_many_questions_as_the_papers():
    priced = msgspec.structs.replace(PUBLISHED, unit="dollars")
    made = compare_table(priced, OURS, make_report(), LABELS)  # 10 questions, and the paper's 100
    assert (made[0].ours, made[0].low, made[0].high) == pytest.approx((5.5, 5.0, 6.5))
    assert (made[1].ours, made[1].low, made[1].high) == pytest.approx((4.0, 3.5, 4.5))
    assert [each.questions for each in made] == [10] * 4


def test_nothing_stands_beside_a_value_where_no_analysis_was_had():
    found = compare_table(PUBLISHED, OURS, None, LABELS)
    assert {each.ours for each in found} == {None}
    assert {each.within for each in found} == {None}


def test_each_row_has_three_lines_and_what_does_not_fit_is_marked():
    found = compare_table(PUBLISHED, OURS, make_report(), LABELS)
    table = tabulate_beside(PUBLISHED, OURS, found, "Sums stand in.")
    shown = [[cell.text for cell in row] for row in table.shown]
    assert shown == [
        ["published", "60.0", "50.04"],
        ["ours", "55.0", "80.0"],
        ["difference", "−5.0", "+30.0†"],
        ["published", "70.0‡", "–"],
        ["ours", "80.0", "55.0"],
        ["difference", "+10.0", "–"],
    ]
    assert table.shown[1][1].interval == "50.0 … 65.0"
    assert "‡ It cannot be." in table.note
    assert "MedQA 100 and 10; MMLU 50 and 10" in table.note
    assert table.note.endswith("Sums stand in.")
