"""The published values, checked by the arithmetic of the papers themselves."""

from math import isclose, isnan
from statistics import median

import pytest

from moot import UnknownName
from moot.contrib.papers.published import NAMES, read_paper
from moot.studies.study_file import load

VALUES = {"mad": 614, "apf": 364, "community": 29, "write": 37, "settings": 0}


def read(name, table):
    """A table's printed values, by row and column."""
    found = read_paper(name).tables[table]
    return {
        row.row: dict(zip(found.columns, map(float, row.values), strict=True)) for row in found.rows
    }


def is_share(value, n, digits):
    """Whether a percentage of so many digits can be a share of n."""
    return round(100 * round(value * n / 100) / n, digits) == value


def test_there_are_as_many_values_as_were_read_twice(paper):
    values = [
        value
        for table in paper.tables.values()
        for row in table.rows
        for value in row.values
        if not isnan(value)
    ]
    assert len(values) == VALUES[paper.name]
    assert all(len(row.values) == len(t.columns) for t in paper.tables.values() for row in t.rows)
    assert all(len(t.n) in {0, len(t.columns)} for t in paper.tables.values())


@pytest.mark.parametrize(("swapped", "fitting"), [(True, 24), (False, 0)])
def test_table_2_follows_from_table_3_where_medqa_and_mmlu_are_exchanged(swapped, fitting):
    best, middle = read("mad", "table 2"), read("mad", "table 2, median")
    rows = read("mad", "table 3")
    named = {"MedQA": "MMLU", "MMLU": "MedQA"} if swapped else {"MedQA": "MedQA", "MMLU": "MMLU"}
    fits = 0
    for system in best:
        for column, printed in named.items():
            own = [row[printed] for name, row in rows.items() if name.startswith(f"{system}, ")]
            fits += isclose(best[system][column], max(own))
            fits += abs(middle[system][column] - median(own)) <= 0.005 + 1e-9
    assert fits == fitting


def test_columns_that_are_not_exchanged_follow_from_table_3_but_for_the_marked_one():
    best, rows = read("mad", "table 2"), read("mad", "table 3")
    odd = []
    for system, values in best.items():
        for column in ("PubMedQA", "CosmosQA", "CIAR", "GPQA"):
            own = [
                row[column]
                for name, row in rows.items()
                if name.startswith(f"{system}, ") and not isnan(row[column])
            ]
            if not isclose(values[column], max(own)):
                odd.append((system, column))
    table = read_paper("mad").tables["table 2"]
    assert odd == [("Self-Consistency", "GPQA")]
    assert [pair for pair in odd if table.doubt(*pair)] == odd


def test_a_single_call_costs_three_tenths_of_a_cent_a_question():
    costs = read("mad", "table 3, cost")["Single Agent, SIMPLE, first row"]
    table = read_paper("mad").tables["table 3, cost"]
    expected = {name: 0.003 * n for name, n in zip(table.columns, table.n, strict=True)}
    for name, cost in costs.items():
        allowed = 0.0101 if name == "GPQA" else 0.0051  # of GPQA a few prompts are long
        assert abs(cost - expected[name]) < allowed, name


def test_shares_of_rounds_add_up_and_are_of_300_questions():
    for row in read("apf", "table 4").values():
        for opening in ("open", "controlled right", "controlled wrong"):
            one, more = row[f"{opening}, n = 1"], row[f"{opening}, n > 1"]
            assert isclose(one + more, 100)
            assert all(is_share(each, 300, 2) for each in (one, row[f"{opening}, accuracy"]))


def test_tables_are_of_the_questions_that_are_noted():
    rows = read("apf", "table 1")
    for name in ("StrategyQA", "GSM8K"):
        own = [v for row, values in rows.items() if row.startswith(name) for v in values.values()]
        assert all(is_share(value, 300, 2) for value in own)
        assert not all(is_share(value, 297, 2) for value in own)
    for table, row in (("Persuasiveness, first %", 87), ("Overall, first %", 87)):
        own = [values[table] for values in read("write", "table 2").values()]
        assert all(is_share(value, row, 1) for value in own)
        assert not all(is_share(value, 90, 1) for value in own)


def test_accuracies_of_networks_are_shares_of_their_questions_and_nodes():
    for table, n in (("table 1", 30), ("table 2", 50), ("table 3", 50)):
        for row in read("community", table).values():
            assert all(is_share(value, n, 1) for value in row.values())
    for table, nodes in (("table 4", (3, 3, 1)), ("table 5", (4, 3, 2, 1))):
        for row in read("community", table).values():
            for value, of in zip(row.values(), nodes, strict=True):
                assert is_share(value, 50 * of, 1)


def test_every_misprint_is_of_a_value_that_is_there(paper):
    for table in paper.tables.values():
        for each in table.misprints:
            found = [
                (row.row, column)
                for row in table.rows
                for column in table.columns
                if each.note in table.doubt(row.row, column)
            ]
            assert found, each


def test_every_row_and_column_has_its_place_in_an_analysis(paper):
    for ours in paper.ours.tables:
        published = paper.tables[ours.table]
        if ours.analysis:
            names = {row.row for row in published.rows}
            assert set(ours.rows) in (names, set()), ours.table
            if ours.columns:
                assert set(ours.columns) == set(published.columns), ours.table
    assert {each.table for each in paper.ours.tables} == set(paper.tables)


def test_what_a_claim_compares_is_in_its_study(paper):
    from fnmatch import fnmatchcase

    for claim in paper.ours.claims:
        raw = {"name": "x", "extends": claim.studies[0], "settings": {"model": "simulated/x"}}
        arms = [arm.name for arm in load(raw).arms]
        for pattern in (*claim.more, *claim.less):
            assert any(fnmatchcase(arm, pattern) for arm in arms), pattern
        known = {each.name for each in paper.ours.datasets}
        assert set(claim.datasets) <= known


def test_an_unknown_paper_is_named_with_the_nearest():
    with pytest.raises(UnknownName, match="communty"):
        read_paper("communty")
    assert NAMES[0] == "mad"
