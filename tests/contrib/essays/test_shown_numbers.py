"""Numbers of passages as they are shown: 1 to n as the essay cites them, the same everywhere."""

import io
import re

import pytest
from docx import Document
from msgspec.structs import replace

from moot.contrib.essays.essay_files import format_essay, write_docx
from moot.contrib.essays.essay_forms import essay_markdown, essay_page
from moot.contrib.essays.essay_parts import list_sentence_states
from moot.contrib.essays.plan_outline import EssayPlan, PlanPoint
from moot.contrib.essays.point_evidence import PointEvidence
from moot.contrib.essays.quotation_outcomes import list_quotation_outcomes
from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.contrib.essays.quoting.source_references import renumber_reference
from moot.contrib.essays.shown_numbers import ShownNumbers
from moot.contrib.essays.written import describe_essay
from moot.core.events import Passage
from support.essays import transcript

TEXTS = {
    1: "Trains run on rails through the whole of the country.",
    2: "The guards were paid 1,250 euros a month, as the minister says.",
    3: "Visits rose by a third in the first year without any fee [7].",
    4: "Donations fell from 22 to 14 in the four years of the trial.",
    5: "Repairs doubled in ten years, and nobody had asked for that.",
}
ESSAY = (
    "Once “repairs doubled in ten years” [5], all was lost. “Donations fell from 22 to 14” [2], "
    "and that was no wonder (see passages 4 and 5, p. 3). Others say⁵ what “visits rose by a "
    "third in the first year without any fee [7]” [3-5] says, and “nobody ever paid a thing for "
    "all of that” [9]."
)
ORDER = {5: 1, 2: 2, 4: 3, 3: 4, 1: 5}
"""The number shown of each passage, read off the essay by hand."""


@pytest.fixture
def written():
    passages = tuple(Passage(n, f"{n}.md:1", text) for n, text in TEXTS.items())
    quotes = check_quotations(ESSAY, passages)
    made = replace(
        describe_essay(transcript(), "ask-1"),
        essay=ESSAY,
        quotes=quotes,
        passages=passages,
        plan=EssayPlan("Granted [1].", (PlanPoint("Repairs [5]", ("Gifts [4, 2]",)),)),
        point_evidence=(PointEvidence(point=1, quoted=(2, 4, 5), found=(1,), against=(3,)),),
    )
    own = tuple(list_quotation_outcomes(made.quoted_essays, (), passages))
    return replace(made, dialogue=(), outcomes=(*own, "Of 5 personas, [4] could be read."))


def test_what_is_cited_has_1_to_n_in_its_order_and_the_rest_follows(written):
    shown = ShownNumbers(written).show_essay()
    assert shown.essay == (
        "Once “repairs doubled in ten years” [1], all was lost. “Donations fell from 22 to 14” "
        "[2], and that was no wonder (see passages 3 and 1, p. 3). Others say¹ what “visits rose "
        "by a third in the first year without any fee [7]” [4, 3, 1] says, and “nobody ever paid "
        "a thing for all of that” [9]."
    )
    numbers = {each.source: each.number for each in shown.passages}
    assert numbers == {f"{own}.md:1": new for own, new in ORDER.items()}
    assert [each.number for each in shown.passages] == [1, 2, 3, 4, 5]
    assert all(each.text == TEXTS[int(each.source[0])] for each in shown.passages)
    assert shown.plan == EssayPlan("Granted [5].", (PlanPoint("Repairs [1]", ("Gifts [3, 2]",)),))
    own = PointEvidence(point=1, quoted=(1, 2, 3), found=(5,), against=(4,))
    assert shown.point_evidence == (own,)


def test_what_is_said_of_each_quotation_is_the_same_with_the_other_numbers(written):
    shown = ShownNumbers(written).show_essay()
    again = check_quotations(shown.essay, shown.passages)  # nobody renumbers: it is checked anew
    assert shown.quotes == again
    assert [each.state for each in shown.quotes if each.kind == "words"] == [
        *("found", "altered", "found", "missing"),
    ]
    for each in shown.quotes:
        assert shown.essay[each.start : each.start + len(each.text)] == each.text
    assert list_sentence_states(shown)[0][1] == list_sentence_states(written)[0][1]
    assert any("it stands in [4], and not" in each for each in written.outcomes)
    assert any("it stands in [3], and not" in each for each in shown.outcomes)
    assert shown.outcomes[-1] == "Of 5 personas, [4] could be read."


def test_each_form_shows_one_numbering_and_names_the_other(written):
    told = "[1] is [5], [3] is [4], [4] is [3], [5] is [1]."
    for form in (essay_markdown, essay_page):
        shown = form(written).replace("\\", "")
        assert told in shown
        for own, number in ORDER.items():
            assert re.search(rf"\[{number}\] {own}\.md:1", shown)
            assert not re.search(rf"\[(?!{number})\d\] {own}\.md:1", shown)
    document = Document(io.BytesIO(write_docx(written)))
    words = "\n".join(each.text for each in document.paragraphs)
    listed = re.findall(r"^\[(\d)\] (\d)\.md:1", words, re.MULTILINE)
    assert listed == [("1", "5"), ("2", "2"), ("3", "4"), ("4", "3")]
    assert told in words
    assert "it stands in [3], and not where it says" in words


def test_with_a_style_word_names_the_passages_that_it_speaks_of(written):
    document = Document(io.BytesIO(write_docx(written, "numbers")))
    words = "\n".join(each.text for each in document.paragraphs)
    assert "it stands in [3], and not where it says" in words
    assert "In this section, [3] is 4.md:1." in words


def test_transcript_and_files_to_go_on_from_keep_their_numbers(written):
    for form in ("json", "toml"):
        assert "no wonder (see passages 4 and 5, p. 3)" in format_essay(written, form)


def test_a_text_that_has_the_numbers_shown_is_read_back(written):
    numbers = ShownNumbers(written)
    assert numbers.read("Leave [3] out, and passage [1] (passage 5), not [9].") == (
        "Leave [4] out, and passage [5] (passage 1), not [9]."
    )
    assert numbers.read(numbers.show("As [1] and [2; 3] have it")) == "As [1] and [2; 3] have it"


def test_an_essay_that_cites_nothing_or_in_order_stays(written):
    for essay in (None, "Nothing is cited.", "In order [1], [2], [1]."):
        plain = replace(written, essay=essay, quotes=())
        assert ShownNumbers(plain).remark == ""
        assert ShownNumbers(plain).show_essay() is plain
    checked = replace(written, protocol="")  # its brackets are its own
    assert ShownNumbers(checked).show_essay() is checked


def test_a_number_of_no_passage_is_given_to_none(written):
    gaps = tuple(replace(each, number=each.number * 3) for each in written.passages)
    shown = ShownNumbers(replace(written, passages=gaps, quotes=(), essay="So [15], [1], and [6]."))
    assert shown.show_essay().essay == "So [2], [1], and [3]."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("[5]", "[1]"),
        ("[Passage 5, p. 4-5]", "[Passage 1, p. 4-5]"),
        ("[2–4]", "[2, 4, 3]"),
        ("[99, 5]", "[99, 1]"),
        ("⁵", "¹"),
        ("（资料4）", "（资料3）"),
    ],
)
def test_a_reference_keeps_its_form(said, shown):
    assert renumber_reference(said, ORDER) == shown
