from itertools import count

import msgspec
import pytest

from moot.core.errors import InputError, UnknownName
from moot.essays.rate.human_scores import list_places, make_rankings, read_scores
from moot.ledger.rankings import ComparedItem, RankingChoice, RecordedChoice
from moot.ledger.sqlite_store import Store
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
    return [(each.rater, each.item.split("\0")[1], each.aspect, each.places) for each in found]


def test_the_last_place_counts_and_parts_of_rankings_do_not():
    found, partial = make_rankings(
        entered(
            ("Ann", "p", "quality", "123"),
            ("Ann", "q", "quality", "12"),
            ("Bo", "p", "quality", "321"),
            ("Ann", "p", "quality", "--1"),
        )
    )
    assert places(found) == [
        ("Bo", "p", "quality", {"a": 3, "b": 2, "c": 1}),
        ("Ann", "p", "quality", {"a": 1, "b": 2, "c": 1}),
    ]
    assert partial == 1


def test_some_arms_are_taken_as_if_no_other_had_been_ranked():
    found, partial = make_rankings(entered(("Ann", "p", "quality", "132")), arms=["b", "c"])
    assert places(found) == [("Ann", "p", "quality", {"b": 3, "c": 2})]
    assert partial == 0


def test_all_that_was_entered_is_exported_and_what_counts_is_told():
    rows = list(
        list_places(entered(("Ann", "p", "quality", "123"), ("Ann", "p", "quality", "2--")))
    )
    assert [(row.arm, row.place, row.counts) for row in rows] == [
        ("a", 1, False),
        ("b", 2, True),
        ("c", 3, True),
        ("a", 2, True),
    ]
    assert rows[3].time == "1970-01-01T00:00:03.000+00:00"


async def test_a_run_is_scored_as_in_the_paper(tmp_path):
    await fill(tmp_path, 2)
    async with Store.open(tmp_path) as store:
        row = store.find_run("essays")
        with pytest.raises(InputError, match="nobody has ranked its essays yet; moot judge"):
            read_scores(store, row)
        for name, given in {"Ann": ("123", "122"), "Bo": ("123", "211")}.items():
            rater = await store.rankings.add_rater(row.id, name, name, 0)
            for item, order in zip(("q0", "q1"), given, strict=True):
                await store.rankings.add_choices(
                    rater.id,
                    [
                        RankingChoice(
                            ComparedItem("props", item, 0), "quality", arm, int(place), 1, 3
                        )
                        for arm, place in zip(ARMS, order, strict=True)
                    ],
                )
        found = read_scores(store, row)
        assert (found.raters, found.items, found.rankings, found.partial) == (2, 2, 4, 0)
        assert found.simulated
        told = {each.arm: (each.score.mean, each.first.mean) for each in found.scores}
        # 1st of 3 is worth 3; the tied second places of Ann's 122 are worth 2 each
        assert told == {
            ARMS[0]: ((3 + 3 + 3 + 1) / 4, 3 / 4),
            ARMS[1]: ((2 + 2 + 2 + 3) / 4, 1 / 4),
            ARMS[2]: ((1 + 1 + 2 + 3) / 4, 1 / 4),
        }
        assert found.agreements[0].raters == 2
        assert -1 < found.agreements[0].alpha < 1
        only = read_scores(store, row, arms=ARMS[1:])
        assert {each.arm for each in only.scores} == set(ARMS[1:])
        assert not only.simulated
        with pytest.raises(UnknownName, match="unknown arm 'nobody'"):
            read_scores(store, row, arms=["nobody"])
        assert msgspec.json.decode(msgspec.json.encode(found))["rankings"] == 4
