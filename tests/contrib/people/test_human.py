"""People as models: their names, their replies, and where no one can type."""

import asyncio
import sys

import pytest

import moot
from moot.contrib.people import human
from moot.core.errors import InputError
from moot.core.terminal import lend_terminal
from moot.models.model_names import ModelName, load, refuse_people


async def test_a_debate_waits_for_a_person_once_and_others_go_on(tmp_path, monkeypatch):
    typed, said, asked = asyncio.Event(), [], []

    async def type_reply(_, person, call):
        assert person == "ana"
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

    monkeypatch.setattr(human, "ask_in_terminal", type_reply)
    with monkeypatch.context() as there:
        for stream in (sys.stdin, sys.stderr):
            there.setattr(stream, "isatty", lambda: True)
        with lend_terminal():
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


def test_people_are_told_from_models():
    names = ["human/ana", "local/smollm2", "http://127.0.0.1:1/v1/m", "gateway", "human/bo"]
    assert ModelName.list_attended(names) == ["human/ana", "human/bo"]
    with pytest.raises(InputError, match="--batch: human/ana, human/bo answers at this terminal"):
        refuse_people(names, "--batch")


async def test_without_a_terminal_nobody_is_asked():
    with lend_terminal(), pytest.raises(InputError, match="here no one can type"):
        await load("human/ana").check()
