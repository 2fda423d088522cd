"""How people rank essays: which places count, the scores of the paper, what is exported."""

from itertools import count

import pytest

from moot.analyses.analysis import NothingToAnalyse
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.essays.rate.places_export import COLUMNS, list_places
from moot.contrib.essays.rate.rankings_analysis import essay_rankings, make_rankings
from moot.core.errors import InputError, UnknownName
from moot.ledger.rankings import ComparedItem, RankingChoice, RecordedChoice
from moot.studies.lab import open_lab
from support.essays import ARMS, fill


def entered(*choices, essays=3):
    """Entries by ``(rater, question, aspect, places)``, whose places go to a, b, c."""
    clock = count()
    return [
        RecordedChoice(
            rater,
            RankingChoice(ComparedItem("d", item, 0), aspect, arm, int(place), 1, essays),
            next(clock),
        )
        for rater, item, aspect, places in choices
        for arm, place in zip("abc", places, strict=False)
        if place != "-"
    ]


def places(found):
    return [(each.rater, each.item.question, each.aspect, each.places) for each in found]


def test_the_last_place_counts_and_parts_of_rankings_do_not():
    found, partial = make_rankings(
        entered(
            ("Ann", "p", "quality", "123"),
            ("Ann", "q", "quality", "12"),
            ("Bo", "p", "quality", "321"),
            ("Ann", "p", "quality", "--1"),
        ),
        "abc",
    )
    assert places(found) == [
        ("Bo", "p", "quality", {"a": 3, "b": 2, "c": 1}),
        ("Ann", "p", "quality", {"a": 1, "b": 2, "c": 1}),
    ]
    assert partial == 1


def test_some_arms_are_taken_as_if_no_other_had_been_ranked():
    found, partial = make_rankings(entered(("Ann", "p", "quality", "132")), ["b", "c"])
    assert places(found) == [("Ann", "p", "quality", {"b": 3, "c": 2})]
    assert partial == 0


def test_all_that_was_entered_is_exported_and_what_counts_is_told():
    listed = list_places(entered(("Ann", "p", "quality", "123"), ("Ann", "p", "quality", "2--")))
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in listed]
    assert [(row["arm"], row["place"], row["counts"]) for row in rows] == [
        ("a", 1, False),
        ("b", 2, True),
        ("c", 3, True),
        ("a", 2, True),
    ]
    assert rows[3]["time"] == "1970-01-01T00:00:03.000+00:00"


async def test_a_run_is_scored_as_in_the_paper(tmp_path):
    await fill(tmp_path, 2)
    async with open_lab(tmp_path) as lab:
        row, rankings = lab.store.find_run("essays"), lab.store.rankings
        with pytest.raises(NothingToAnalyse, match="nobody has ranked its essays yet; moot judge"):
            essay_rankings(RecordedRuns(lab, ["essays"]))
        for name, given in {"Ann": ("123", "122"), "Bo": ("123", "211")}.items():
            rater = await rankings.add_rater(row.id, name, name, 0)
            for item, order in zip(("q0", "q1"), given, strict=True):
                await rankings.add_choices(
                    rater.id,
                    [
                        RankingChoice(
                            ComparedItem("props", item, 0), "quality", arm, int(place), 1, 3
                        )
                        for arm, place in zip(ARMS, order, strict=True)
                    ],
                )
        found = essay_rankings(RecordedRuns(lab, ["essays"]))
        assert found.about == "secretrun-1: 4 rankings of 2 propositions by 2 raters"
        scores, agreement = found.tables
        # 1st of 3 is worth 3; the tied second places of Ann's 122 are worth 2 each
        assert [(arm, score.mean, first.mean, n) for arm, score, first, n in cells(scores)] == [
            (ARMS[0], (3 + 3 + 3 + 1) / 4, 3 / 4, 4),
            (ARMS[1], (2 + 2 + 2 + 3) / 4, 1 / 4, 4),
            (ARMS[2], (1 + 1 + 2 + 3) / 4, 1 / 4, 4),
        ]
        assert [column.group for column in scores.columns] == ["", "Quality", "Quality", ""]
        [[aspect, alpha, *counts]] = cells(agreement)
        assert (aspect, counts) == ("quality", [2, 2, 4])
        assert -1 < alpha.mean < 1
        only = essay_rankings(RecordedRuns(lab, ["essays"], arms=ARMS[1:]))
        assert [row[0] for row in cells(only.tables[0])] == list(ARMS[1:])
        with pytest.raises(InputError, match="alone has no rank"):
            essay_rankings(RecordedRuns(lab, ["essays"], arms=ARMS[:1]))
        with pytest.raises(UnknownName, match="unknown arm 'nobody'"):
            essay_rankings(RecordedRuns(lab, ["essays"], arms=["nobody"]))


def cells(table):
    return [row.cells for row in table.rows]
