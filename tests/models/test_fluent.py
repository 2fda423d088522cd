"""Replies in every form: what is written is what is read."""

from importlib.metadata import entry_points

import pytest

from moot.core.calls import Scene
from moot.models.fluent import FORMS, GROUP, Speech, word_reply
from moot.models.simulated import Simulated
from moot.parsing.parser import registry as parsers
from moot.parsing.same import is_same
from support.debates import KINDS, SUM
from support.simulated import YES_OR_NO, a_call

ANSWERS = {"number": "4", "boolean": "true", "choice": "B", "square": "e4"}
ANSWERS |= {"math": r"\frac{1}{3}", "text": "a dispute"}
SILENT = {
    *("ballot", "review", "rubric-review", "grades", "match-ruling"),
    *("grounding", "passage-choice", "sameness", "search-query"),
    *("text", "experts", "personas", "selection", "discussion", "challenge", "dialogue", "plan"),
}
"""Forms that commit to no answer."""
FINDINGS = {"finding-votes", "findings"}
"""Forms that commit to no answer to an open question."""
RULED = {"boolean": "true", "text": "approved"}
"""What an approval is an answer to, by the kind of a question."""
OPEN = {"ruling": "preference", "closing": "decided", "opinion": "satisfied"}
"""Forms that may leave a debate open, and where they say so."""


def a_scene(form, question=SUM, step="step", number=1):
    seat = {"agent": "mind", "role": "mind", "step": step, "round": number}
    return Scene(question=question, reads_as=form, **seat)


def read(text, form, question=SUM):
    return parsers.get(form)(text, question, heard={})


BROUGHT = entry_points(group=GROUP).names
"""The forms that packages bring."""
OF_ANSWERS = {"first-capital", "last-capital"}
"""Other readings of what is written as an answer."""


@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
@pytest.mark.parametrize("form", sorted([*FORMS, *BROUGHT]))
def test_what_is_written_is_what_is_read(form, question):
    assert {*FORMS, *BROUGHT, *OF_ANSWERS} == set(parsers.names())
    answer = ANSWERS[question.kind]
    reading = read(word_reply(a_scene(form, question), Speech(answer=answer)), form, question)
    if form in SILENT or (form in FINDINGS and question.kind == "text"):
        assert reading.answer is None
    elif form == "approval-ruling":
        assert reading.answer == RULED.get(question.kind)
    else:
        assert is_same(reading.answer, answer, question.kind)
    if form in OPEN:
        assert getattr(reading.reading, OPEN[form]) is True


@pytest.mark.parametrize("form", sorted(OPEN))
def test_a_debate_is_left_open_until_it_may_not_be(form):
    speech = Speech(answer="4", decides=False)
    left = read(word_reply(a_scene(form), speech), form)
    assert getattr(left.reading, OPEN[form]) is False
    assert left.answer == ("4" if form == "opinion" else None)
    last = read(word_reply(a_scene(form, step="close"), speech), form)
    for must in ("decision", "conclusion"):
        assert read(word_reply(a_scene(must), speech), must).answer == "4"
    assert (last.answer, getattr(last.reading, OPEN[form])) == ("4", True)


@pytest.mark.soak
async def test_simulated_scores_differ_and_favour_nobody():
    model = Simulated("judges")
    replies = [
        await model.reply(a_call(model, question, seat=seat, reads_as="scored"))
        for question in YES_OR_NO[:300]
        for seat in range(3)
    ]
    found = [read(reply.text, "scored", YES_OR_NO[0]).reading.given[0] for reply in replies]
    assert {score for each in found for score in each.values()} == set(range(1, 11))
    for label in ("general public", "critic", "scientist"):
        mean = sum(each[label] for each in found) / len(found)
        assert abs(mean - 5.5) < 4 * 2.872 / len(found) ** 0.5
