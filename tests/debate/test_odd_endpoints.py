"""Debates with endpoints that take no system message, or little context, in words of their own."""

from itertools import pairwise

import pytest

from moot.debate.protocol import registry
from moot.models.model_names import load
from support.chaos import Chaos
from support.debates import hold
from support.http_calls import only_key

HERE = [each.name for each in registry if each.is_installed]


@pytest.fixture
async def server(monkeypatch):
    only_key(monkeypatch)
    async with Chaos() as chaos:
        yield chaos


async def hold_at(name, directive, server, store, **given):
    """Hold a debate whose models meet this, and return it with the messages that were sent."""
    model = load(f"{server.url}/{directive}")
    server.seen.clear()
    held = await hold(name, model, store, **given)
    await model.close()
    return held, [each["request"]["messages"] for each in server.seen]


def has_system(messages):
    return any(each["role"] == "system" for each in messages)


def alternates(messages):
    """Templates of some models refuse two messages of one role in a row."""
    roles = [each["role"] for each in messages if each["role"] != "system"]
    return roles[:1] == ["user"] and all(one != next_ for one, next_ in pairwise(roles))


def join(messages):
    """The messages with each system message before the text of the next user."""
    held, joined = [], []
    for each in messages:
        if each["role"] == "system":
            held.append(each["content"])
        else:
            own = held if each["role"] == "user" else []
            joined.append({**each, "content": "\n\n".join([*own, each["content"]])})
            held = [] if each["role"] == "user" else held
    return [*joined, *([{"role": "user", "content": "\n\n".join(held)}] if held else [])]


@pytest.mark.parametrize("name", HERE)
async def test_every_protocol_goes_on_without_system_messages(name, store, server, caplog):
    expected, asked = await hold_at(name, "ok", server, store)
    held, sent = await hold_at(name, "ok+nosystem", server, store)
    assert (held.failed is None) == (expected.failed is None), held.failed
    assert all(alternates(each) for each in (*asked, *sent))
    refused = [each for each in sent if has_system(each)]
    assert bool(refused) == any(map(has_system, asked))
    assert all(join(each) in sent for each in refused)
    assert caplog.text.count("does not take system messages: sent as the beginning") <= 1
    assert bool(refused) == ("system messages" in caplog.text)


@pytest.mark.parametrize(
    "words",
    [
        "The maximum prompt length is 600 but the request contains 2269 tokens.",
        "This model's maximum context length is 600 tokens.",
    ],
    ids=["xai", "openai"],
)
async def test_a_debate_is_shortened_in_whatever_words_it_is_too_long(words, server, store):
    small = f"ok+fits=900+say={words}"
    held, sent = await hold_at("society-of-minds", small, server, store, agents=3, rounds=5)
    assert held.failed is None
    assert len(held.turns) == 15
    assert max(sum(len(each["content"]) for each in one) for one in sent) > 900
