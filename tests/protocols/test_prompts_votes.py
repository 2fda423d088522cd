"""What prompts convey where samples are drawn: self-consistency, ensemble refinement, medprompt."""

import pytest

from moot.core.errors import InputError
from moot.debate.protocol import registry
from support.debates import SUM, hold
from support.prompts import assert_lacks, assert_order, requests

REASONING = ("cot", "spp", "spp-expert", "bare")


def numbered(call):
    return f"<{call.scene.agent}>\nFinal answer: 4"


@pytest.mark.parametrize("style", ["simple", *REASONING])
async def test_an_aggregation_is_warned_then_shown_the_reasonings_and_then_asked(style, store):
    sent = await requests("ensemble-refinement", store, numbered, style=style)
    for each in sent.of(step="refine"):
        assert_order(
            each.prompt,
            "Some of their reasonings may be right and some wrong",
            "best of the right arguments",
            "wrong reasoning",
            "do not repeat",
            *(f"Reasoning of student {n}:\n<reasoner-{n}>" for n in (1, 2, 3)),
            SUM.text,
            "Final answer:",
        )
        assert_lacks(each.prompt, "not all of them", "came out", "at least one")
        assert ("step by step" in each.prompt) == (style != "simple")
        assert ("Answer at once" in each.prompt) == (style == "simple")


async def test_what_an_aggregation_is_told_holds_also_where_all_students_agree(store):
    told = await requests("ensemble-refinement", store, lambda _: "Final answer: 4")
    for each in told.of(step="refine"):
        assert "may be right and some wrong" in each.prompt


async def test_reasoning_may_begin_with_a_summary_in_both_stages(store):
    first = "Begin with a summary of the information"
    sent = await requests("ensemble-refinement", store, numbered, summarise_first=True)
    for each in sent:
        assert first in each.prompt
        assert "step by step" in each.prompt
    for each in sent.of(step="reason"):
        assert_order(each.prompt, first, SUM.text, "step by step", "Final answer:")
    for each in sent.of(step="refine"):
        assert_order(each.prompt, SUM.text, first, "step by step", "Final answer:")
    plain = await requests("ensemble-refinement", store, numbered)
    assert_lacks("".join(each.text for each in plain), "summary")
    with pytest.raises(InputError, match="summarise_first: style = simple has no reasoning"):
        registry.get("ensemble-refinement").check({"summarise_first": True, "style": "simple"})


async def test_the_first_stage_is_the_samples_of_self_consistency(store):
    refined = await hold("ensemble-refinement", numbered, store)
    sampled = await hold("self-consistency", numbered, store, samples=3)
    first = [turn.call for turn in refined.turns if turn.role == "reasoner"]
    assert first == [turn.call for turn in sampled.turns]


async def test_an_aggregator_is_told_of_several_answers_and_analyses_them(store):
    sent = await requests("self-consistency", store, numbered, aggregate=True, samples=3)
    asked = sent.one(role="aggregator").prompt
    shown = [f"<sampler-{n}>" for n in (1, 2, 3)]
    ends = ("Analyse", "most consistent and right", "Final answer:")
    assert_order(asked, "several possible answers", SUM.text, *shown, *ends)
    assert "aggregator" not in {each.role for each in await requests("self-consistency", store)}


@pytest.mark.parametrize("name", ["self-consistency", "medprompt", "single"])
async def test_a_sampler_is_asked_the_question_and_nothing_else(name, store):
    for each in await requests(name, store, numbered):
        assert_order(each.prompt, SUM.text, "step by step", "Final answer:")
        assert len(each.messages) == 1
        assert_lacks(each.text, "other", "agent", "student", "% of cases")


async def test_of_one_sample_it_is_not_said_that_there_are_several(store):
    sent = await requests("self-consistency", store, numbered, aggregate=True, samples=1)
    assert_lacks(
        sent.one(role="aggregator").prompt, "several", "answers", "they", "most consistent"
    )
    sent = await requests("ensemble-refinement", store, numbered, reasonings=1, aggregations=1)
    asked = sent.one(role="aggregator").prompt
    assert_order(asked, "may be right or wrong", "do not repeat", SUM.text)
    assert_lacks(asked, "several", "students", "some of")
