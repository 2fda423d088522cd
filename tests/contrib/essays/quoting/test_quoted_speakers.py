"""Whom a text has quoted, and whom its source has: said only where both name somebody else."""

import json
from pathlib import Path

import pytest

from moot.contrib.essays.essay_parts import cite, mark
from moot.contrib.essays.quoting.document_check import check_text
from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.core.events import Passage

SAID = "“The fee closes the house to the poor,” said Professor Anna Stone. It rained."
WORDS = "the fee closes the house to the poor"
TITLED = "Dr Lee opened the meeting."
"""Another passage, in which somebody of the essay has a title."""


def check(essay, *passages):
    given = [Passage(n, f"{n}.md:1", text) for n, text in enumerate(passages, 1)]
    [quote] = [each for each in check_quotations(essay, given) if each.kind == "words"]
    assert quote.found
    return quote


@pytest.mark.parametrize(
    ("essay", "source", "given_to", "said_by"),
    [
        (f"Minister Lee said: “{WORDS}” [1].", SAID, "Minister Lee", "Professor Anna Stone"),
        (f"“{WORDS}” [1], said Minister Lee.", SAID, "Minister Lee", "Professor Anna Stone"),
        (f"“{WORDS},” Minister Lee said.", SAID, "Minister Lee", "Professor Anna Stone"),
        (f"According to Dr Lee, “{WORDS}” [1].", SAID, "Dr Lee", "Professor Anna Stone"),
        (f"“{WORDS}”, according to Dr Lee [1].", SAID.replace("said", "according to"), "", ""),
        (f"“{WORDS}”, according to Dr Lee.", SAID, "Dr Lee", "Professor Anna Stone"),
        (f"Yet Lee argues that “{WORDS}” [1].", SAID, "Lee", "Professor Anna Stone"),
        (f"Dr Lee, a guard, wrote: “{WORDS}”.", SAID, "Dr Lee", "Professor Anna Stone"),
        (f"Dr Lee said “{WORDS}”.", f"J. Fry wrote that {WORDS}.", "Dr Lee", "J. Fry"),
        (f"Dr Lee said “{WORDS}”.", f"Mr Fry (2019) argued: “So {WORDS}.”", "Dr Lee", "Mr Fry"),
        (
            f"Dr Lee said “{WORDS}”.",
            f"Anna Stone, a curator, said: “Well, {WORDS}.”",
            "Dr Lee",
            "Anna Stone",
        ),
    ],
)
def test_another_speaker_is_told(essay, source, given_to, said_by):
    quote = check(essay, source, TITLED)
    assert (quote.given_to, quote.said_by, quote.state) == (given_to, said_by, "found")
    assert mark(quote) == ("LOOK" if said_by else "")
    told = f"look there: it is given to {given_to}; the source gives it to {said_by}"
    assert (told in cite(quote)) == bool(said_by)


@pytest.mark.parametrize(
    ("essay", "source"),
    [
        (f"Professor Stone said: “{WORDS}” [1].", SAID),  # the same
        (f"Dr Stonne said: “{WORDS}” [1].", SAID),  # a spelling
        (f"Prof. Ánna Stone said: “{WORDS}” [1].", SAID),
        (f"The source says: “{WORDS}” [1].", SAID),
        (f"He said: “{WORDS}” [1].", SAID),
        (f"Critics say: “{WORDS}” [1].", SAID),
        (f"Many Americans said: “{WORDS}” [1].", SAID),
        (f"The Supreme Court wrote: “{WORDS}” [1].", SAID),
        (f"Dr Lee never said: “{WORDS}” [1].", SAID),
        (f"The aide of Dr Lee said: “{WORDS}” [1].", SAID),
        (f"Dr Fry and Dr Lee said: “{WORDS}” [1].", SAID),
        (f"Dr Lee, who quotes Anna Stone, said: “{WORDS}” [1].", SAID),  # it is told
        (f"Dr Lee’s rival said: “{WORDS}” [1].", SAID),
        (f"It is known: “{WORDS}” [1]. Dr Lee said: nothing.", SAID),
        (f"Dr Lee said that much.\n\n“{WORDS}” [1].", SAID),
        (f"“{WORDS}.” Dr Lee said so, too.", SAID),
        (f"Dr Lee said: “{WORDS}” [1].", f"In the hall {WORDS}."),  # nobody
        (f"Dr Lee said: “{WORDS}” [1].", f"The director said that {WORDS}."),
        (f"Dr Lee said: “{WORDS}” [1].", f"She said: “{WORDS}.”"),
        (f"Dr Lee said: “{WORDS}” [1].", f"Officials said: “{WORDS}.”"),
        (f"Dr Lee said: “{WORDS}” [1].", f"The British Museum said: “{WORDS}.”"),
        (f"Dr Lee said: “{WORDS}” [1].", f"Tate Modern Trust said: “{WORDS}.”"),
        (f"Dr Lee said: “{WORDS}” [1].", f"Local Teachers said: “{WORDS}.”"),
        (f"Dr Lee said: “{WORDS}” [1].", f"Stone said: “{WORDS}.”"),  # a person?
        (f"Dr Lee said: “{WORDS}” [1].", f"{SAID} So Lee told her."),  # named near
        (f"Dr Lee said: “{WORDS}” [1].", f"{SAID} “Indeed, {WORDS}.”"),  # twice
        (f"Dr Lee said: “{WORDS}” [1].", f"In the hall {WORDS}, and Mr Fry said: “So?”"),
        (f"Dr Lee said: “{WORDS}” [1].", f"Mr Fry said: “So?” And {WORDS}."),
        (f"Dr Lee sagte: „{WORDS}“ [1].", SAID),  # only English
    ],
)
def test_nothing_is_said_where_anything_is_in_doubt(essay, source):
    quote = check(essay, source.replace("The fee", "the fee"), TITLED)
    assert (quote.given_to, quote.said_by, mark(quote)) == ("", "", "")


def test_words_that_another_passage_has_of_the_speaker_are_left_alone():
    essay = f"Dr Lee said: “{WORDS}”."
    assert check(essay, SAID, TITLED).said_by
    assert not check(essay, SAID, f"Dr Lee agreed that {WORDS}.").said_by


def test_any_text_is_checked_against_all_documents(tmp_path):
    (tmp_path / "stone.md").write_text(SAID)
    [quote] = check_text(str(tmp_path), f"Dr Lee said: “{WORDS}”.").quotes
    assert (quote.given_to, quote.said_by) == ("Dr Lee", "Professor Anna Stone")
    (tmp_path / "zlee.md").write_text(f"Dr Lee agreed that {WORDS}.")
    [quote] = check_text(str(tmp_path), f"Dr Lee said: “{WORDS}”.").quotes
    assert (quote.given_to, quote.said_by) == ("", "")


def test_of_the_labelled_essays_none_is_told_to_have_another_speaker():
    """Nobody in them is quoted for another: their labels are of words and figures alone."""
    rows = Path(__file__).with_name("quotations.jsonl").read_text("utf-8").splitlines()
    seen = 0
    for row in map(json.loads, rows):
        given = [Passage(**each) for each in row["passages"]]
        quotes = check_quotations(row["essay"], given)
        seen += sum(each.found and each.kind == "words" for each in quotes)
        assert not [each for each in quotes if each.said_by]
    assert seen > 50
