"""Hooks: what features add to a debate, each where it should, and nothing where there is none."""

import msgspec

from moot.core.calls import Reply
from moot.debate.feature import Feature, InForce
from moot.debate.hooks import NO_HOOKS, Hooks, Inner, inherit
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import SUM, staged


class Silent(Feature):
    """A feature without a hook."""

    names = ("silent",)


class Planted(Feature):
    """A feature with every hook, which writes down what it is given."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def begin(self, debate, state):
        state.append(f"{self.name} begins")

    def pose(self, state, agent, question, pack):
        return msgspec.structs.replace(question, text=f"{question.text} ({self.name})")

    def lines(self, state, exchange):
        return f"Mind {self.name}." if exchange.votes else ""

    def reads_as(self, state, exchange):
        return "text" if self.name == "b" else ""

    async def around(self, state, exchange, fetch):
        state.append(f"{self.name} asks")
        exchange = await fetch(exchange)
        state.append(f"{self.name} reads {exchange.parsed.answer}")
        exchange.parsed = exchange.parsed._replace(answer=self.name)
        return exchange

    def rounds(self, state, debate, rounds):
        rounds.checks.append(lambda: self.name == "b" and len(debate.views) > 1)


async def play(store, features, **given):
    """The views and prompts of two agents that are asked in up to three rounds."""
    asked = []

    def script(call):
        asked.append(call.messages[-1].content)
        return "Final answer: 4"

    debate = staged("society-of-minds", Scripted(script), store, features=features, **given)
    await debate.open()
    minds = debate.seat("mind", 2)
    views = [await debate.everyone(minds, "answer") for _ in debate.until_stop(range(3))]
    return [view for round_ in views for view in round_], asked


async def test_each_hook_is_called_in_the_order_of_the_features(store):
    told = []
    features = tuple(InForce(Planted(name), None, told) for name in "ab")
    views, asked = await play(store, features)
    assert told[:2] == ["b begins", "a begins"]
    assert told[2:].count("b asks") == len(views) == 2  # the check of b ends the first round
    own = [line for line in told[2:] if "reads" in line]
    assert sorted(own) == ["a reads None", "a reads None", "b reads a", "b reads a"]
    assert [(view.answer, view.turn.parser) for view in views] == [("b", "text")] * 2
    assert all(f"{SUM.text} (a) (b)" in prompt for prompt in asked)
    assert all(prompt.endswith("\n\nMind a.\n\nMind b.") for prompt in asked)


async def test_a_feature_without_hooks_changes_nothing_and_costs_no_hook(store):
    plain, asked = await play(store, ())
    silent, again = await play(store, (InForce(Silent(), None),))
    assert [view.turn.call for view in silent] == [view.turn.call for view in plain]
    assert asked
    assert again == []  # every reply is in the ledger
    empty = Hooks((InForce(Silent(), None),))
    assert [getattr(empty, name) for name in Hooks.__slots__] == [
        getattr(NO_HOOKS, name) for name in Hooks.__slots__
    ]


async def test_a_state_comes_to_a_debate_within_only_where_its_feature_says_so():
    class Kept(Feature):
        names = ("kept",)

        def inherit(self, state, inner):
            return None if inner.aside else (state or 0) + 1

    kept, silent = InForce(Kept(), None, 7), InForce(Silent(), None, 7)
    protocol = registry.get("single")
    inner = Inner(protocol.read(protocol.check({})))
    assert [each.state for each in inherit((kept, silent), inner)] == [8]
    assert inherit((kept, silent), inner._replace(aside=True)) == ()


async def test_further_exchanges_are_kept_behind_and_are_not_remembered(store):
    class Twice(Feature):
        async def around(self, state, exchange, fetch):
            further = exchange.again()
            exchange = await fetch(exchange)
            exchange.after = [await fetch(further)]
            return exchange

    said = iter("12")
    model = Scripted(lambda _: Reply(text=f"Final answer: {next(said)}"))
    events = []
    debate = staged(
        "society-of-minds", model, store, listen=events.append, features=(InForce(Twice(), None),)
    )
    [mind] = debate.seat("mind", 1)
    view = await debate.ask(mind, "answer")
    assert [(turn.id, turn.answer, turn.votes) for turn in events[1:]] == [
        (1, "1", True),
        (2, "2", False),
    ]
    assert (debate.views[-1], mind.answer, len(mind.past)) == (view, "1", 1)
    assert events[1].call != events[2].call


async def test_a_given_reply_and_a_copy_are_exchanges_and_ask_no_model(store):
    debate = staged("society-of-minds", Scripted([]), store)
    [mind] = debate.seat("mind", 1)
    view = await debate.ask(mind, "answer", given="Final answer: 4")
    assert (view.answer, view.turn.is_given, view.turn.call, mind.answer) == ("4", True, "", "4")
