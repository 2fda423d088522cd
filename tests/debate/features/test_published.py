"""Habits of published code: a letter that is read, no schema, bills of whole thousands."""

import json

import pytest

import moot
from moot.core.calls import Reply
from moot.core.events import Turn
from moot.models.prices import Price
from moot.parsing.capital_letter import parse_first_capital, parse_last_capital
from support.chaos import Chaos
from support.debates import KINDS, hold, ruling

PICK = KINDS[2]
SPOKEN = "A fair question. I think B is odd.\nFinal answer: (A), says Option C"


@pytest.mark.parametrize(
    ("reply", "first", "last"),
    [
        ("The answer is (B).", "B", "B"),
        ("I think B, not A", "B", "A"),
        ("A nice one: B.", "A", "B"),  # an article is a letter, as in the code
        ("Both A and B, so C", "A", None),  # C is no option
        ("Reasons, and no letter.", None, None),
        ("I", None, None),
        ("", None, None),
        ("**B**", "B", "B"),
        ("C: no, B", None, "B"),
    ],
)
def test_the_first_or_last_capital_letter_alone_is_read(reply, first, last):
    assert parse_first_capital(reply, PICK).answer == first
    assert parse_last_capital(reply, PICK).answer == last


@pytest.mark.parametrize(
    ("style", "by", "answer"),
    [
        ("cot", "commitment", "A"),
        ("cot", "capital", None),
        ("simple", "capital", "A"),
        ("cot", "first-capital", "A"),
        ("simple", "last-capital", None),
    ],
)
async def test_a_debate_reads_replies_by_its_setting(style, by, answer, store):
    held = await hold("single", lambda _: SPOKEN, store, question=PICK, style=style, reads_by=by)
    [turn] = held.turns
    assert turn.answer == answer
    assert held.verdict.answer == answer


async def test_other_kinds_and_other_forms_are_read_as_ever(store):
    held = await hold("single", lambda _: "Final answer: 4, or A", store, reads_by="last-capital")
    assert held.verdict.answer == "4"

    def script(call):
        return ruling("A") if call.scene.role == "judge" else "It is B"

    judged = await hold(
        "multi-persona", script, store, question=PICK, reads_by="last-capital", rounds=1
    )
    assert [turn.answer for turn in judged.turns] == ["B", "B", "A"]


async def test_a_shuffled_option_is_taken_back_to_its_own_letter(store):
    def script(call):
        shown = call.messages[-1].content
        return "It is " + next(line[1] for line in shown.splitlines() if line.endswith(" two"))

    held = await hold("medprompt", script, store, question=PICK, reads_by="last-capital")
    assert {turn.answer for turn in held.turns} == {"B"}
    assert len({turn.order for turn in held.turns}) == 2


@pytest.mark.parametrize("constrained", [True, False])
async def test_a_judge_is_held_to_a_schema_only_where_it_is_constrained(constrained, tmp_path):
    async with Chaos() as server:
        await moot.ask(
            PICK.text,
            choices=PICK.choices,
            protocol="multi-persona",
            model=f"{server.url}/ok",
            store=tmp_path / "s",
            constrained=constrained,
        )
    bodies = [each["request"] for each in server.seen]
    judged = [body for body in bodies if "debate_answer" in json.dumps(body["messages"])]
    assert len(judged) == 4
    assert all(("response_format" in body) is constrained for body in judged)
    assert not any("response_format" in body for body in bodies if body not in judged)


def speaks(call):
    return Reply(text="Final answer: 4", prompt_tokens=1001, completion_tokens=7, cached_tokens=500)


@pytest.mark.parametrize(
    ("billed", "cost"), [("tokens", (1001 * 1 + 7 * 2) / 1e6), ("thousands", (2 * 1 + 1 * 2) / 1e3)]
)
async def test_tokens_are_billed_by_the_thousand_where_the_setting_says_so(billed, cost, tmp_path):
    from moot.models.scripted import Scripted

    model = Scripted(speaks, name="billed")
    told = await moot.ask(
        "What is 2+2?",
        kind="number",
        protocol="single",
        model=model,
        store=tmp_path / "s",
        prices={model.name: Price(1.0, 2.0)},
        billed=billed,
    )
    [turn] = [each for each in told.transcript.events if isinstance(each, Turn)]
    assert (turn.prompt_tokens, turn.completion_tokens) == (1001, 7)
    assert turn.cost == pytest.approx(cost)
