"""A prompt on its way: a model that refuses gets a shorter form, and nothing is paid twice."""

import pytest

from moot.core.calls import Reply
from moot.core.errors import ContextTooLong, RefusedError
from moot.core.ports import Limits
from moot.models.scripted import Scripted
from support.debates import LONG, QUESTION, disagreed, hold, marked, size, staged, timeless


class Narrow(Scripted):
    """A model that takes no more than so many messages, whatever anybody guesses."""

    def __init__(self, most, script=marked, error=ContextTooLong, **given):
        super().__init__(script, name="narrow", **given)
        self.most, self.error, self.refused, self.asked = most, error, [], []

    async def reply(self, call):
        self.asked.append(call)
        if len(call.messages) > self.most:
            self.refused.append(call)
            raise self.error(f"{len(call.messages)} messages are more than {self.most}")
        return await super().reply(call)


@pytest.mark.parametrize("limits", [Limits(), Limits(context=100_000)], ids=["unknown", "wrong"])
async def test_a_model_that_refuses_gets_the_next_shorter_form(limits, store):
    model = Narrow(3, limits=limits)
    held = await hold("society-of-minds", model, store, question=QUESTION, agents=2, rounds=5)
    assert held.failed is None
    assert [turn.removed for turn in held.turns] == [0, 0, 0, 0, 2, 2, 4, 4, 6, 6]
    refused = sorted(len(call.messages) for call in model.refused)
    assert refused == [5] * 6 + [7] * 4 + [9] * 2
    assert len({turn.call for turn in held.turns}) == 10


async def test_another_refusal_is_not_tried_again(store):
    model = Narrow(3, error=RefusedError)
    held = await hold("society-of-minds", model, store, question=QUESTION, agents=1, rounds=5)
    assert held.failed.kind == "RefusedError"
    assert [len(call.messages) for call in model.asked] == [1, 3, 5]


async def test_a_model_that_takes_nothing_gives_its_own_reason_and_its_window_holds(store):
    model = Narrow(99, limits=Limits(context=480))
    given = {"agents": 2, "rounds": 5, "max_tokens": 100}
    held = await hold("society-of-minds", model, store, question=QUESTION, **given)
    assert [turn.removed for turn in held.turns][-2:] == [6, 6]
    assert max(size(call.messages) for call in model.asked) <= 380
    model = Narrow(0, limits=Limits(context=10))
    held = await hold("society-of-minds", model, store, question=QUESTION, agents=1)
    assert (held.failed.kind, len(model.asked)) == ("ContextTooLong", 1)
    assert held.failed.reason == "1 messages are more than 0"


@pytest.mark.parametrize("name", LONG)
async def test_resuming_asks_only_what_was_refused(name, store):
    class Picky(Narrow):
        """Refuses by length."""

        async def reply(self, call):
            self.most = 99 if size(call.messages) < 1000 else 0
            return await super().reply(call)

    first, again = Picky(0, disagreed), Picky(0, lambda _: Reply(text="other"))
    held = await hold(name, first, store, question=QUESTION, **LONG[name])
    resumed = await hold(name, again, store, question=QUESTION, **LONG[name])
    assert held.failed is None
    assert any(turn.removed for turn in held.turns)
    assert timeless(held) == timeless(resumed)
    assert [call.request() for call in again.asked] == [call.request() for call in first.refused]
    assert all(turn.replayed for turn in resumed.turns)


async def test_what_a_kept_prompt_shows_again_is_read_though_the_first_to_show_it_is_gone(store):
    model = Narrow(5)
    talk = staged("society-of-minds", model, store, QUESTION)
    first, second = talk.seat("mind", 2)
    old = (await talk.everyone([first, second], "answer")).of(second)
    for _ in range(2):
        await talk.ask(first, "revise", others=[old])
    new = await talk.ask(second, "revise", others=[])
    last = await talk.ask(first, "revise", others=[new])
    assert last.turn.removed == 2
    shown = "".join(message.content for message in model.asked[-1].messages)
    assert "<mind-2 in 1, " in shown
    assert set(last.turn.reads) == {old.turn.id, new.turn.id, 3, 4}
