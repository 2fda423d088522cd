"""The analysis of accuracy and price: its tables, its families, its chart."""

import asyncio

import pytest
from msgspec.structs import replace

import moot
from moot.analyses.arm_accuracy import DRAWN, correct_family, report_accuracy
from moot.analyses.arm_tables import list_parts
from moot.core.results import Difference, EqualBudget, Flips, Mean, Saved, Variance

GAP = Difference(
    mean=0.1, low=-0.05, high=0.25, pairs=60, questions=60, better=14, worse=8, p=0.02, p_holm=0.04
)


def tables(found, **options):
    """The tables of a report by their titles."""
    return {table.title: table for table in report_accuracy(found, **options).tables}


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
    grid = tables(full)["sums"]
    assert [column.name for column in grid.columns if column.is_text] == ["Arm"]
    assert [row.marked for row in grid.rows] == [True, False]
    assert {row.band for row in grid.rows} == {""}
    names = [column.name for column in grid.columns[5:9]]
    assert names == ["Debates", "Failed", "Unparsed", "Calls"]
    assert shown(grid) == [
        [
            *("single", "50.0 (11.8 … 88.2)", "baseline", "–", "–", "6", "1", "1"),
            *("1", "60", "$0.001", "500 ms"),
        ],
        [
            *("society", "100.0 (54.1 … 100.0)", "+50.0 (+16.7 … +83.3)", "0.25"),
            *("96.4", "6", "0", "0", "6", "360", "$0.006", "1.0 s"),
        ],
    ]


def test_what_only_a_page_has_room_for(full):
    single = tables(full)["sums"].shown[0]
    assert [cell.more for cell in single if cell.more] == [
        ("6 in all",),
        ("50 + 10",),
        ("$0.006 in all",),
    ]
    other = replace(full.arms[1], difference=GAP)
    p = tables(replace(full, arms=(full.arms[0], other)))["sums"].shown[1][3]
    assert (p.text, p.more, p.sort) == ("0.040", ("0.020 uncorrected", "14 ▲ 8 ▼"), 0.04)


def test_of_several_datasets_each_has_a_table_and_rows_of_details_a_band(full):
    other = [replace(arm, dataset="other") for arm in full.arms]
    made = tables(replace(full, arms=(*full.arms, *other)))
    assert [row.band for row in made["sums"].rows] == ["", ""]
    assert [row.band for row in made["First and last answers"].rows] == ["sums", "other"]


def test_where_no_right_answer_is_known_there_is_the_price_alone(rows, results):
    unknown = [replace(each, values=each.values | {"accuracy": None}) for each in rows()]
    [grid] = [each for title, each in tables(results(unknown)).items() if title == "sums"]
    names = [column.name for column in grid.columns]
    assert names == ["Arm", "Debates", "Failed", "Unparsed", "Calls", "Tokens", "Cost", "Time"]
    assert "Accuracy" not in grid.note


def test_self_consistency_at_the_same_price(full):
    (cells,) = tables(full)["Self-consistency at the price of a debate"].shown
    assert [cell.text for cell in cells] == [
        *("society", "money", "100.0", "60.0", "+10.0", "0.040", "–", "5.5", "3"),
    ]
    assert cells[7].more == ("$0.020", "from draws")


def test_round_by_round(full):
    grid = tables(full)["Round by round"]
    assert [row[0] for row in shown(grid)] == ["society", "society"]
    flips = {2: Flips(wrong_to_right=1, right_to_wrong=2, kept_right=3, kept_wrong=4)}
    got = {1: Mean(mean=0.5, n=6, questions=6), 2: Mean(mean=0.75, n=5, questions=5)}
    arm = replace(full.arms[1], rounds=got, round_flips=flips)
    assert shown(tables(replace(full, arms=(arm,)))["Round by round"]) == [
        ["society", "1", "50.0", "6", "–", "–", "–", "–"],
        ["society", "2", "75.0", "5", "3", "1", "2", "4"],
    ]


def test_the_spread_in_points(full):
    grid = tables(full)["Spread over questions and seeds"]
    assert shown(grid) == [["society", "20.0", "10.0", "80.0"]]


def test_only_tables_with_a_row(full, results):
    assert len(tables(full)) == 6
    assert tables(results([])) == {}


def test_the_family_that_p_is_corrected_for_is_stated(full):
    """Six arms: two models with a baseline each, on two datasets; every p is 0.01."""
    gap = replace(GAP, p=0.01, p_holm=0.04)
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
    assert "corrected by Holm for all arms of all datasets." in note


async def test_the_parts_of_a_network(row, results, network):
    """A short-long network on four questions: of them C4 has two right and C1 one."""
    answers = ("7", "7", "1", "2")
    held = [await network("network", k, answer) for k, answer in enumerate(answers)]
    made = results([row("short-long", each) for each in held], arms=(), baseline=None)
    assert [(kind, name, got.mean) for kind, name, got in list_parts(made.arms[0])] == [
        ("network", "the network", 0.25),  # its judge takes what C1 gives
        ("layer", "layer 1", 0.125),  # C1 and C2
        ("layer", "layer 2", 0.0),
        ("layer", "layer 3", 0.5),
        ("node", "node C1", 0.25),  # the short path
        ("node", "node C2", 0.0),
        ("node", "node C3", 0.0),
        ("node", "node C4", 0.5),  # the long one
    ]
    grid = tables(made)["Parts of the networks"]
    assert {row.band for row in grid.rows} == {"short-long"}
    assert [row.marked for row in grid.rows] == [True] * 4 + [False] * 4


async def test_fewer_debates_come_to_a_later_sweep(row, results, network):
    held = [await network("hopfield", k, "7", communities=2, sweeps=k) for k in (1, 2)]
    made = results([row("sweeps", each) for each in held], arms=(), baseline=None)
    assert [(name, got.mean, got.n) for _, name, got in list_parts(made.arms[0])] == [
        ("the network", 0.0, 2),
        ("sweep 1", 0.0, 2),
        ("sweep 2", 0.5, 1),
        ("node C1", 0.0, 2),
        ("node C2", 0.5, 2),
    ]
    assert "come to the next sweep" in report_accuracy(made).notes[-1]


def test_of_many_arms_the_best_and_the_baseline_are_drawn(row, transcript, results):
    made = [
        row(f"arm {k}", transcript(f"arm {k}", q, [("4",)], verdict="4" if q < k else "5"))
        for k in range(DRAWN + 5)
        for q in range(DRAWN + 5)
    ]
    (chart,) = report_accuracy(results(made, arms=(), baseline="arm 0")).charts
    assert len(chart.rows) == DRAWN
    assert chart.rows[0] | {"low": 0, "high": 0} == {
        "arm": "arm 0", "accuracy": 0, "low": 0, "high": 0, "hollow": True,
        "n": DRAWN + 5, "questions": DRAWN + 5,
    }  # fmt: skip
    assert f"The best {DRAWN} of {DRAWN + 5} arms." in chart.caption


STUDY = {
    "name": "sums",
    "settings": {"model": "simulated/people?accuracy=0.6"},
    "datasets": [{"name": "arithmetic", "n": 8}],
    "arms": [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [3, 5]}],
}


def test_a_report_is_at_hand_in_python(tmp_path):
    asyncio.run(moot.run(STUDY, store=tmp_path))
    report = asyncio.run(moot.analyse("accuracy", "sums", store=tmp_path, family="all"))
    text = str(report)
    assert text.startswith("SIMULATED: no language model")
    assert max(map(len, text.splitlines())) <= 80
    first = report.tables[0].records[0]
    assert (first["Arm"], first["Debates"], first["marked"]) == ("single", 8, True)
    assert 0 <= first["Accuracy low"] <= first["Accuracy"] <= first["Accuracy high"] <= 1
    assert first["Accuracy n"] == 8
    whole = report.to_dict()
    assert whole["data"][0]["name"] == "sums"
    assert whole["charts"][0]["plot"]["mark"] == "dots"
