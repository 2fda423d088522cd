"""The answer of a chat is sent while it is written, where one reply is going to be it."""

import asyncio

import pytest

from moot.contrib.server.chat.closing_words import AGAIN, ClosingWords
from moot.core.calls import Reply
from moot.core.errors import TransientError
from moot.core.ports import ReplyPiece
from moot.debate.protocol import registry as protocols
from moot.models.scripted import Scripted
from support.server import complete, each_protocol, streamed

SETTINGS = {"document-debate": {"rounds": 1}, "self-consistency": {"aggregate": True}}
CLOSING = {*SETTINGS, "autogen", "camel", "community", "council", "evidence-debate", "langgraph",
           "mixture-of-agents", "network", "oversight-consultancy", "oversight-debate",
           "single"}  # fmt: skip


def test_these_protocols_have_a_reply_that_decides():
    assert {each.name for each in protocols if each.closing} == CLOSING


def a_question(name: str, settings: dict) -> dict:
    return {
        "model": f"{name}:scripted/one",
        "messages": [{"role": "user", "content": "Who made you?"}],
        "moot": {"settings": settings},
        "stream": True,
    }


async def stream_of(serving, client, request, says=None):
    model = Scripted(says or (lambda call: f"I, {call.scene.agent}, say so much and no more."),
                     name="one", latency=0.02)  # fmt: skip
    server = await serving(models=[model.name], given={"models": [model]})
    url = f"{server.url}/v1/chat/completions"
    async with client.post(url, json=request) as response:
        chunks = await streamed(response)
    assert "error" not in chunks[-1], chunks[-1]
    parts = [piece for chunk in chunks for piece in chunk["choices"]]
    content = [each["delta"]["content"] for each in parts if each["delta"].get("content")]
    return server, parts, content


@pytest.mark.parametrize("name", each_protocol(lambda each: not each.needs_answer))
async def test_the_words_of_the_deciding_reply_are_the_answer(name, serving, client):
    settings = SETTINGS.get(name, {})
    server, parts, content = await stream_of(serving, client, a_question(name, settings))
    await server.lab.store.flush()
    [run] = server.lab.store.runs()
    [row] = server.lab.store.debates(run.id)
    again = a_question(name, settings) | {"stream": False}
    again["moot"] |= {"replicate": 0}
    _, whole = await complete(client, server, again)
    message = whole["choices"][0]["message"]
    assert "".join(content) == message["content"]
    reasoning = "".join(each["delta"].get("reasoning_content", "") for each in parts)
    # Nodes of a network that debate at the same time are told as they speak.
    assert sorted(reasoning.split()) == sorted(message["reasoning_content"].split())
    if name not in CLOSING:
        assert len(content) == 1
        return
    assert len(content) > 4
    [last] = [turn for turn in row.transcript.turns if turn.id == row.transcript.verdict.turn]
    assert "".join(content) == last.text
    assert last.text not in message["reasoning_content"]
    turns = [each["moot"]["turn"]["id"] for each in parts if "turn" in each.get("moot", {})]
    assert sorted(turns) == [turn.id for turn in row.transcript.turns]


@pytest.mark.parametrize(
    "more",
    [
        {"stop": ["much"]},
        {"moot": {"kind": "text"}},
        {"moot": {"settings": {"style": "cot"}}},
        {"response_format": {"type": "json_object"}},
    ],
)
async def test_an_answer_that_is_no_whole_reply_comes_when_it_is_known(serving, client, more):
    _, _, content = await stream_of(serving, client, a_question("single", {}) | more)
    assert len(content) == 1


async def test_the_words_of_all_agents_come_if_they_are_asked_for(serving, client):
    request = a_question("society-of-minds", {"agents": 2})
    request["moot"]["pieces"] = True
    says = lambda _: Reply(text="So I say.", thought="SECRET")  # noqa: E731
    _, parts, _ = await stream_of(serving, client, request, says)
    pieces = [each["moot"]["piece"] for each in parts if "piece" in each.get("moot", {})]
    assert {each["kind"] for each in pieces} == {"begun", "text"}
    for turn in (1, 2, 3, 4):
        own = [each for each in pieces if each["turn"] == turn]
        assert "".join(each["text"] for each in own) in {"So I say.", "So I ", "So "}
    assert "SECRET" not in str(parts)


async def test_a_reply_that_breaks_off_is_begun_again_and_says_so(serving, client):
    fates = [TransientError("broken off")]

    class Breaking(Scripted):
        async def stream(self, call, tell):
            if fates:
                tell("text", "I was ")
                await asyncio.sleep(0.1)
                raise fates.pop()
            return await super().stream(call, tell)

    model = Breaking(lambda _: "We were made by hand.", name="one", latency=0.05)
    server = await serving(models=[model.name], given={"models": [model]}, retry={"first": 0.001})
    url = f"{server.url}/v1/chat/completions"
    async with client.post(url, json=a_question("single", {})) as response:
        chunks = await streamed(response)
    said = [each["delta"].get("content") or "" for chunk in chunks for each in chunk["choices"]]
    assert "".join(said) == f"I was {AGAIN}We were made by hand."


def piece(text: str, kind: str = "text") -> ReplyPiece:
    return ReplyPiece(
        turn=1, agent="agent", role="agent", step="answer", round=1, kind=kind, text=text
    )


def test_a_second_attempt_with_the_same_words_goes_on_where_the_first_broke_off():
    words = ClosingWords("answer")
    said = [words.take(each) for each in (
        piece("", "begun"), piece(" I am "), piece("here"), piece("", "restarted"),
        piece(" I am"), piece(" here, too."),
    )]  # fmt: skip
    assert ("".join(said), words.finish("I am here, too.")) == ("I am here, too.", "")
    words = ClosingWords("answer")  # what was not sent comes at the end
    assert (words.take(piece("I am")), words.take(piece("Hm.", "thought"))) == ("I am", "")
    assert words.finish("I am here.") == " here."
    words = ClosingWords("choose")
    assert words.take(piece("I am")) == ""  # another agent's
    assert ClosingWords("").finish("I am here.") == "I am here."
