"""People as models: their names, their replies, and where no one can type."""

import asyncio

import pytest

import moot
from moot.core.errors import InputError
from moot.models.human import answer_people
from moot.models.model_names import load


async def test_a_debate_waits_for_a_person_once_and_others_go_on(tmp_path):
    typed, said, asked = asyncio.Event(), [], []

    async def type_reply(_, call):
        asked.append(call.scene.agent)
        await typed.wait()
        return "  Final answer: 4 \x1b[31m"

    def listen(event):
        if isinstance(event, moot.Turn):
            said.append(event.agent)
            typed.set()  # the other agent has spoken while the person thinks

    async def ask():
        models = ["human/ana", "simulated/a"]
        given = {"agents": 2, "rounds": 1, "store": tmp_path, "listen": listen}
        return await moot.ask("2 + 2?", kind="number", models=models, **given)

    with answer_people(type_reply):
        first = await ask()
    assert said == ["mind-2", "mind-1"]
    [turn] = [each for each in first.turns if each.model == "human/ana"]
    assert (turn.text, turn.cost) == ("  Final answer: 4 \x1b[31m", 0.0)
    assert (turn.prompt_tokens, turn.completion_tokens) == (0, 0)
    again = await ask()  # nobody can be asked now, and nobody has to
    assert asked == ["mind-1"]
    assert again.turns[0].replayed
    assert again.turns[0].text in {turn.text for turn in first.turns}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((f"human/{name}", "human|provider/model") for name in ("", "../x", "a b", "a" * 41)),
        ("human/ana?latency=1", "unknown option 'latency'"),
    ],
)
def test_a_name_that_no_person_has_is_refused(name, why):
    with pytest.raises(InputError, match=why):
        load(name)
