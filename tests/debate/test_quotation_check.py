"""Quotation check: what stands in the passages, what is altered, and what is invented."""

from time import process_time

import pytest

from moot.core.passages import Passage
from moot.debate.quotation_check import check_quotations

PASSAGES = (
    Passage(
        1, "a.md:1", "“Fees pay\nfor half — and not more — of the museum's upkeep.” So it is said."
    ),
    Passage(2, "b.md:4", "Free days draw crowds."),
)


@pytest.mark.parametrize(
    ("essay", "expected"),
    [
        ('They say "fees pay for half" [1].', ("fees pay for half", 1, True)),
        (
            "“FEES  PAY for half - and not more,” [1] they say.",
            ("FEES  PAY for half - and not more,", 1, True),
        ),
        ("«the museum’s upkeep» [1]", ("the museum’s upkeep", 1, True)),
        ("„Free days“ [2]", ("Free days", 2, True)),
        ('"fees pay … upkeep" [1]', ("fees pay … upkeep", 1, True)),
        ('"fees [...] of the museum" [1]', ("fees [...] of the museum", 1, True)),
        ('"Free days" [1, 2]', ("Free days", 2, True)),
        ('"Free days" [2,1].', ("Free days", 2, True)),
        ('"fees pay for half" [1 and 2]', ("fees pay for half", 1, True)),
        ('"Free days" [1] [2]', ("Free days", 2, True)),
        ('"Free days" [1][2]', ("Free days", 2, True)),
        ('"No such words" [2; 1]', ("No such words", 2, False)),
        ('"upkeep … fees pay" [1]', ("upkeep … fees pay", 1, False)),
        ('"free days draw crowds" [1]', ("free days draw crowds", 1, False)),
        ('"fees pay for all" [1]', ("fees pay for all", 1, False)),
        ('"crowds" [7]', ("crowds", 7, False)),
        ('"…" [1]', ("…", 1, False)),
    ],
)
def test_a_quotation_is_looked_for_in_its_passage(essay, expected):
    [quote] = check_quotations(essay, PASSAGES)
    assert (quote.text, quote.passage, quote.found) == expected


def test_what_has_no_number_is_no_quotation_and_all_others_are_told_in_order():
    essay = '"Free" entry is "no" [2] answer: "free days" [2]. See [1] and "this".'
    assert [each.text for each in check_quotations(essay, PASSAGES)] == ["no", "free days"]
    assert check_quotations("", PASSAGES) == ()


@pytest.mark.parametrize("piece", ['"', "“", '"a" ', "„", '" [1] ', "«»", '"[', "…"])
def test_a_huge_essay_holds_nobody_up(piece):
    started = process_time()
    check_quotations(piece * (300_000 // len(piece)), PASSAGES)
    assert process_time() - started < 5
