"""Who debates, and whose answers are compared."""

import pytest

from moot.metrics.debaters import find_debaters
from moot.metrics.metric import measure
from support.essays import speaking, write_by

COMPARED = (
    *("consensus", "parsed-consensus", "unanimous", "first-consensus", "unique-first-answers"),
    *("agent-any-unparsed", "agent-last-unparsed", "answers-per-agent", "change-rate", "changed"),
)


async def debating(store, name, **given):
    """The roles that debate in a protocol that writes essays, and its measures."""
    words = dict.fromkeys(("dialogue", "claim", "reason", "concede", "refine", "criticise"), "So.")
    transcript, _, _ = await write_by(store, speaking(**words, revise="Better."), name, **given)
    return {mind.turns[0].role for mind in find_debaters(transcript)}, measure(transcript)


@pytest.mark.parametrize(
    ("name", "given", "roles"),
    [
        ("debate-to-write", {}, {"member", "critic"}),
        ("debate-to-write", {"dialogue": "single"}, set()),
        ("americano", {}, set()),
        ("essay-plan", {}, set()),
        ("essay-direct", {}, set()),
    ],
)
async def test_who_debates_for_an_essay_and_none_has_answers_to_compare(name, given, roles, store):
    found, values = await debating(store, name, **given)
    assert found == roles
    assert {key: values[key] for key in COMPARED} == dict.fromkeys(COMPARED)
    assert values["unparsed-replies"] == 0
    assert (values["completion-tokens-per-agent"] is None) is not bool(roles)


def test_a_reasoner_that_answers_debates(debate, turn):
    answers = [turn(1, 0, 1, "4", role="reasoner"), turn(2, 1, 1, "5", role="reasoner")]
    assert len(find_debaters(debate(*answers))) == 2
