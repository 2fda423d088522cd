"""What goes when a prompt does not fit the context window: what is oldest, first.

The conversation that the question goes on with goes before any round of the debate, half at a time.
The question stays, and so does the newest round. What was left out is counted. The same rule for
every protocol, whether its agents remember a conversation or are shown a history in each prompt.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from moot.core.messages import Message
from moot.core.texts import clean
from moot.debate.agents import Agent, Exchange, Heard
from moot.debate.views import View, Views

BYTES_A_TOKEN = 4
"""What a token holds of English text, on average."""
A_MESSAGE = 8
"""Tokens around each message."""
REPLY = 512
"""Tokens kept free for a reply of unstated length, but no more than a quarter of the window."""

Slots = dict[str, Any]
Render = Callable[[Slots], tuple[Message, ...]]


class Draft(msgspec.Struct, frozen=True, eq=False):
    """One way to put a prompt.

    Attributes:
        messages: what is sent.
        prompt: the last of them: worked examples as messages, if there are such, and the prompt.
        heard: the turns the agent then has in front of it, each with its answer.
        shown: those that the prompt itself shows.
        removed: messages left out.
    """

    messages: tuple[Message, ...]
    prompt: tuple[Message, ...]
    heard: dict[int, str | None]
    shown: tuple[Heard, ...]
    removed: int = 0

    def fits(self, room: int) -> bool:
        """Whether it has no more than so many tokens, by a guess from its length."""
        size = sum(len(message.content.encode()) for message in self.messages)
        return size // BYTES_A_TOKEN + A_MESSAGE * len(self.messages) <= room


def room(context: int, most: int | None) -> int:
    """Tokens that are left for a prompt, where the reply may have ``most``."""
    return context - (min(REPLY, context // 4) if most is None else most)


def drafts(agent: Agent, question: str, slots: Slots, render: Render) -> Iterator[Draft]:
    """The prompt in full, then shorter and shorter until nothing may be left out any more.

    Args:
        agent: who is asked.
        question: as it stands in prompts; it stays in each of them.
        slots: what the prompt's slots are filled with.
        render: makes a prompt of these, after the messages that show its worked examples.
    """
    past = agent.past if agent.remembers else []
    history, removed = agent.history, 0
    gone = first = max(0, len(past) - 1) if agent.memory == "last" else 0
    yield _make_draft(agent, history, gone, question, slots, render, removed)
    while history:
        history = _drop_half(history)
        removed = len(agent.history) - len(history)
        yield _make_draft(agent, history, gone, question, slots, render, removed)
    for gone in range(first + 1, len(past)):
        removed += 2
        yield _make_draft(agent, (), gone, question, slots, render, removed)
    while shorter := _drop_oldest(slots):
        slots, left_out = shorter
        removed += left_out
        yield _make_draft(agent, (), gone, question, slots, render, removed)


def _drop_half(history: tuple[Message, ...]) -> tuple[Message, ...]:
    """The later half of a conversation, from a message of the user's on."""
    later = history[(len(history) + 1) // 2 :]
    return later[1:] if later and later[0].role == "assistant" else later


def _make_draft(
    agent: Agent,
    history: tuple[Message, ...],
    gone: int,
    question: str,
    slots: Slots,
    render: Render,
    removed: int,
) -> Draft:
    """A draft without the first ``gone`` replies and the prompts around them.

    Prompts and replies keep turns: before the first reply that is left stands the first prompt of
    all, where that one puts the question, else the prompt that this reply was given to.
    """
    prompt = render(slots)
    past = agent.past if agent.remembers else []
    first = gone and (0 if _asks_question(past[0], agent, question, prompt[-1].content) else gone)
    heard = dict(agent.given)
    messages = [*history] if agent.system is None else [agent.system, *history]
    for number, exchange in enumerate(past):
        if number == first or number > gone:
            heard |= exchange.shown
            messages += exchange.prompt
        if number >= gone:
            heard[exchange.own[0]] = exchange.own[1]
            messages.append(exchange.reply)
    shown = tuple([(view.turn.id, view.turn.answer) for view in views_in(slots)])
    heard |= shown
    return Draft(
        messages=(*messages, *prompt),
        prompt=prompt,
        heard=heard,
        shown=shown,
        removed=removed,
    )


def _asks_question(first: Exchange, agent: Agent, question: str, prompt: str) -> bool:
    """Whether the first prompt is the question: the bare one, or the only place it stands in."""
    system, asked = "" if agent.system is None else agent.system.content, clean(question)
    return not first.shown or not (asked in system or asked in prompt)


def _drop_oldest(slots: Slots) -> tuple[Slots, int] | None:
    """The slots without the oldest round of a history they show; None when all show one round."""
    for name, slot in slots.items():
        if isinstance(slot, Views):
            rounds = {view.turn.round for view in slot}
            if len(rounds) > 1:
                kept = Views(view for view in slot if view.turn.round > min(rounds))
                return slots | {name: kept}, len(slot) - len(kept)
    return None


def views_in(slots: Slots) -> Iterator[View]:
    """Every view that the slots show."""
    for slot in slots.values():
        if isinstance(slot, View):
            yield slot
        elif isinstance(slot, Views):
            yield from slot
