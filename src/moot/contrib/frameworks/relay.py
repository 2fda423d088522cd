"""Between a framework and moot: the framework's model calls become turns of a debate."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from moot import Agent, Debate, Message, Question, View, Views
from moot.extend.protocols import gather_all, split_conversation
from moot.extend.words import replace_surrogates

T = TypeVar("T")

BROKEN_OFF = "the debate was broken off"


class Relay:
    """moot as the model of a framework, in one debate.

    Attributes:
        debate: the debate whose turns the framework's calls are.
        views: what was said so far, in order.
    """

    def __init__(self, debate: Debate) -> None:
        self.debate = debate
        self.views = Views()
        self._over: Exception | None = None
        self._calls: list[asyncio.Future[View]] = []

    @property
    def question(self) -> str:
        """The question alone: without a task, an opening, or other nodes' verdicts."""
        return self.debate.prompter.bare_question()

    def role(self, agent: Agent) -> str:
        """Return the part of an agent's system message that is about its role."""
        before, _ = split_conversation(self.debate.question)
        text = agent.system.content if agent.system else ""
        return text.removeprefix("\n\n".join(before)).strip()

    def text(self, agent: Agent, step: str) -> str:
        """Return the text of a step of the pack for an agent."""
        return self.debate.prompter.text(agent, step)

    async def reply(
        self, agent: Agent, step: str, messages: Sequence[Message], reads: Iterable[View] = ()
    ) -> View:
        """Send the framework's messages to an agent, and return its reply as a view.

        Args:
            agent: the agent that is asked.
            step: the pack's step that says how the reply is read; ``"answer"`` as any answer.
            messages: as the framework has them, the question among them; those of one role in a
                row are sent as one.
            reads: what was said before and stands in them.

        Raises:
            Exception: the call failed, or one before it: then nothing more is asked.
        """
        if self._over is not None:
            raise self._over
        read = [*(self.debate.context.given if agent.given else ()), *reads]
        sent = merge_messages(add_conversation(messages, agent, self.debate.question))
        call = asyncio.ensure_future(self.debate.relay(agent, step, sent, read))
        self._calls.append(call)
        await asyncio.wait([call])  # unlike awaiting it: a framework that gives up ends no call
        try:
            view = call.result()
        except asyncio.CancelledError:
            raise self._over or RuntimeError(BROKEN_OFF) from None
        except Exception as error:
            self._over = self._over or error
            raise
        self.views = Views(sorted([*self.views, view], key=lambda each: each.turn.id))
        return view

    async def run(self, conversation: Coroutine[Any, Any, T]) -> T:
        """Run the framework's conversation, and return its result.

        A call that failed is raised as itself, whether the framework wraps it, swallows it or goes
        on; those under way at the time still come in. When the debate is cancelled, no further call
        is made, and those under way are ended.
        """
        task = asyncio.ensure_future(conversation)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            self._over = self._over or RuntimeError(BROKEN_OFF)
            for call in self._calls:
                call.cancel()
            await asyncio.gather(task, *self._calls, return_exceptions=True)
            raise
        _ = task.cancelled() or task.exception()  # looked at here, since a call's goes before it
        await gather_all(self._calls)
        return task.result()

    def find_views(self, lines: Iterable[tuple[str, str]]) -> Views:
        """Return the views that stand in a conversation, in its order.

        For frameworks whose messages have no ids: of equal texts the newest are meant.

        Args:
            lines: pairs of the speaker's label and the text.
        """
        unread, found = [*self.views], []
        for label, text in reversed([*lines]):
            for place in reversed(range(len(unread))):
                if unread[place].agent.label == label and text_of(unread[place]) == text:
                    found.append(unread[place])
                    del unread[place:]
                    break
        return Views(reversed(found))


def text_of(view: View) -> str:
    """Return the text of a view, in characters that every framework takes."""
    return replace_surrogates(view.text)


def head_with_label(label: str, text: str) -> str:
    """Return a text under its speaker's name, as the other agents are shown it."""
    return f"{label}:\n{text}"


def add_conversation(
    messages: Sequence[Message], agent: Agent, question: Question
) -> list[Message]:
    """Return a framework's messages after the conversation that stands before the question.

    The conversation's system messages stand first, unless the agent's system message has them.
    """
    told, history = split_conversation(question)
    own = agent.system.content if agent.system else ""
    system = [each for each in messages if each.role == "system"]
    if any(own and own in each.content for each in system):
        told = []
    rest = [each for each in messages if each.role != "system"]
    return [*(Message("system", text) for text in told), *system, *history, *rest]


def merge_messages(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with neighbours of one role joined: endpoints want roles to alternate."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            both = f"{merged[-1].content}\n\n{message.content}"
            merged[-1] = Message(message.role, both)
        else:
            merged.append(message)
    return merged
