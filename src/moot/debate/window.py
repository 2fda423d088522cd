"""Shorter forms of a prompt that does not fit the context window: the oldest parts go first.

The conversation that the question goes on with goes before any round of the debate, half at a time.
The question stays, and so does the newest round. Messages that were left out are counted. The rule
is the same for agents that remember a conversation and for those that are shown a history.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, starmap
from typing import Any

import msgspec

from moot.core.encoding import replace_surrogates
from moot.core.messages import Message
from moot.debate.agents import Agent, ReadTurn, Remembered
from moot.debate.views import View, Views

BYTES_A_TOKEN = 4
"""Bytes of English text in a token, on average."""
A_MESSAGE = 8
"""Tokens around each message."""
REPLY = 512
"""Tokens kept free for a reply of unstated length, but no more than a quarter of the window."""

Slots = dict[str, Any]
Render = Callable[[Slots], tuple[Message, ...]]


class PromptForm(msgspec.Struct, frozen=True, eq=False):
    """One form of a prompt.

    Attributes:
        messages: all messages that are sent.
        prompt: the last of them: few-shot examples as messages, if any, and the prompt.
        heard: the answers of all turns that stand in the messages, by the turn's id.
        shown: the turns that the prompt itself shows.
        removed: the number of messages that were left out.
    """

    messages: tuple[Message, ...]
    prompt: tuple[Message, ...]
    heard: dict[int, str | None]
    shown: tuple[ReadTurn, ...]
    removed: int = 0

    def fits(self, room: int) -> bool:
        """Return whether it has at most so many tokens, by an estimate from its length."""
        size = sum(len(message.content.encode()) for message in self.messages)
        return size // BYTES_A_TOKEN + A_MESSAGE * len(self.messages) <= room


def free_tokens(context: int, most: int | None) -> int:
    """Return the tokens of a context that remain for a prompt; a reply may have ``most``."""
    return context - (min(REPLY, context // 4) if most is None else most)


def list_forms(
    agent: Agent,
    question: str,
    slots: Slots,
    seen: Sequence[View],
    prompt: tuple[Message, ...],
    render: Render,
) -> Iterator[PromptForm]:
    """Return the whole prompt, then shorter and shorter forms, which are made when they are needed.

    Args:
        agent: who is asked.
        question: as it stands in prompts; it stays in each of them.
        slots: what the prompt's slots are filled with.
        seen: the views in them.
        prompt: the whole prompt, after the messages that show its worked examples.
        render: makes a prompt of fewer slots.
    """
    gone = max(0, len(agent.past) - 1) if agent.memory == "last" and agent.remembers else 0
    whole = _make_draft(agent, agent.history, gone, question, seen, prompt, 0)
    shorter = starmap(_shorten, [(agent, gone, question, slots, render)])  # seldom begun
    return chain((whole,), chain.from_iterable(shorter))


def _shorten(
    agent: Agent, least: int, question: str, slots: Slots, render: Render
) -> Iterator[PromptForm]:
    """Yield shorter and shorter forms of a prompt whose first ``least`` replies are left out."""
    past = agent.past if agent.remembers else []
    history, seen, removed = agent.history, list_views(slots), 0
    gone = least
    while history:
        history = _drop_half(history)
        removed = len(agent.history) - len(history)
        yield _make_draft(agent, history, gone, question, seen, render(slots), removed)
    for gone in range(least + 1, len(past)):
        removed += 2
        yield _make_draft(agent, (), gone, question, seen, render(slots), removed)
    while shorter := _drop_oldest(slots):
        slots, left_out = shorter
        seen = list_views(slots)
        removed += left_out
        yield _make_draft(agent, (), gone, question, seen, render(slots), removed)


def _drop_half(history: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the later half of a conversation; it begins with a message of the user."""
    later = history[(len(history) + 1) // 2 :]
    return later[1:] if later and later[0].role == "assistant" else later


def _make_draft(
    agent: Agent,
    history: tuple[Message, ...],
    gone: int,
    question: str,
    seen: Sequence[View],
    prompt: tuple[Message, ...],
    removed: int,
) -> PromptForm:
    """Return a draft without the first ``gone`` replies and the prompts around them.

    Prompts and replies keep turns: before the first reply that is left stands the first prompt of
    all, where that one puts the question, else the prompt that this reply was given to.
    """
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
    shown: tuple[ReadTurn, ...] = ()
    if seen:
        shown = tuple([(view.turn.id, view.turn.answer) for view in seen])
        heard |= shown
    return PromptForm(
        messages=(*messages, *prompt),
        prompt=prompt,
        heard=heard,
        shown=shown,
        removed=removed,
    )


def _asks_question(first: Remembered, agent: Agent, question: str, prompt: str) -> bool:
    """Return whether an agent's first prompt has to stay, since it is the one with the question."""
    system, asked = (
        "" if agent.system is None else agent.system.content,
        replace_surrogates(question),
    )
    return not first.shown or not (asked in system or asked in prompt)


def _drop_oldest(slots: Slots) -> tuple[Slots, int] | None:
    """Return the slots without the oldest round of a history; None if there is but one round."""
    for name, slot in slots.items():
        if isinstance(slot, Views):
            rounds = {view.turn.round for view in slot}
            if len(rounds) > 1:
                kept = Views(view for view in slot if view.turn.round > min(rounds))
                return slots | {name: kept}, len(slot) - len(kept)
    return None


def list_views(slots: Slots) -> list[View]:
    """Return every view in these slots."""
    found: list[View] = []
    for slot in slots.values():
        if isinstance(slot, View):
            found.append(slot)
        elif isinstance(slot, Views):
            found += slot
    return found
