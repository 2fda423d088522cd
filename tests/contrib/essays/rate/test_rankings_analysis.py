"""How people rank essays: which places count, the scores of the paper, what is exported."""

from itertools import count

from moot.contrib.essays.rate.places_export import COLUMNS, list_places
from moot.contrib.essays.rate.rankings_analysis import make_rankings
from moot.ledger.rankings import ComparedItem, RankingChoice, RecordedChoice


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
