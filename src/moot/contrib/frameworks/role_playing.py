"""A conversation that CAMEL runs: a user instructs an assistant until their task is done.

Only to be imported where camel-ai is installed.
"""
# ruff: noqa: ANN401 -- what the methods take is CAMEL's to say

import logging
from threading import Event
from typing import Any

from moot import Agent, Debate, Message, Views
from moot.contrib.frameworks.framework import registry
from moot.contrib.frameworks.relay import Relay, text_of

BYTES_A_TOKEN = 4
"""Bytes of English text in a token, on average."""

# Before the library is there: without a handler it would take the root logger and write to stdout.
logging.getLogger("camel").addHandler(logging.NullHandler())

from camel.messages import OpenAIMessage  # noqa: E402 -- see above, as for all of them
from camel.models import BaseModelBackend  # noqa: E402
from camel.societies import RolePlaying  # noqa: E402
from camel.types import ChatCompletion, ChatCompletionMessage, Choice  # noqa: E402
from camel.utils import BaseTokenCounter  # noqa: E402

DONE = "CAMEL_TASK_DONE"
"""What the library tells the user to say when the task is done."""


class Guess(BaseTokenCounter):
    """Tokens by a guess from the length: the library's own counters load files from the network."""

    def count_tokens_from_messages(self, messages: list[OpenAIMessage]) -> int:
        """Of whole messages, nothing being left out by it."""
        return sum(len(_text_of(message)) // BYTES_A_TOKEN for message in messages)

    def encode(self, *_: Any) -> Any:
        """Raise ``NotImplementedError``: moot counts tokens, it makes none."""
        raise NotImplementedError("moot counts tokens, it makes none")

    decode = encode


class Backend(BaseModelBackend):
    """moot as a model backend of CAMEL: the voice of one agent.

    Args:
        relay: where its calls go.
        agent: who speaks.
        other: to whom.
        over: is set when a reply has no words: the library can hand none on.
        task: the question as the library was given it, with its opening where the agent has one.
    """

    def __init__(self, relay: Relay, agent: Agent, other: Agent, over: Event, task: str) -> None:
        # A reply is handed on as it was said, as in every protocol.
        super().__init__("moot", extract_thinking_from_response=False)
        self._relay, self._agent, self._other, self._over = relay, agent, other, over
        self._task = task

    @property
    def token_counter(self) -> BaseTokenCounter:
        """A guess."""
        return Guess()

    @property
    def token_limit(self) -> int:
        """None to speak of: what is too long is for the call path to say."""
        return 10**9

    def _run(self, *_: Any, **__: Any) -> ChatCompletion:
        raise NotImplementedError("moot is asynchronous: use astep")

    async def _arun(self, messages: list[OpenAIMessage], *_: Any, **__: Any) -> ChatCompletion:
        relay, speaker = self._relay, {"assistant": self._agent.label, "user": self._other.label}
        spoken = [each for each in messages if each["role"] in speaker]
        view = await relay.reply(
            self._agent,
            "answer",
            [
                Message(each["role"], self._update_task(each["role"], _text_of(each)))
                for each in messages
            ],
            relay.find_views((speaker[each["role"]], _text_of(each)) for each in spoken),
        )
        text = text_of(view)
        if not text.strip():
            self._over.set()
        said = ChatCompletionMessage(role="assistant", content=text)
        choice = Choice(index=0, finish_reason="stop", message=said)
        return ChatCompletion(
            id=view.turn.call, choices=[choice], created=0, model="moot", object="chat.completion"
        )

    def _update_task(self, role: str, text: str) -> str:
        """Return a message's text; in a system message, with the task as the agent is asked now.

        Only an agent that has not spoken yet is asked about its opening.
        """
        now = self._relay.debate.pose_question(self._agent)
        return text.replace(self._task, now) if role == "system" else text


def _text_of(message: OpenAIMessage) -> str:
    """The words of a message, which may come in parts, or as a text of the library's own kind."""
    content: str | list[dict[str, str]] = message["content"]
    return str(content) if isinstance(content, str) else "".join(part["text"] for part in content)


@registry.decorate("role-playing")
async def converse(debate: Debate, user: Agent, assistant: Agent, *, rounds: int) -> Views:
    """What the two said, until the user calls the task done or the rounds are over.

    As in the library, the assistant has the last word: it replies to the end of the task too. A
    reply without words ends the conversation at once.

    Args:
        debate: the debate they are seated in.
        user: who instructs; speaks first. Its system message is what the library calls its role.
        assistant: who solves, with a role in the same way.
        rounds: the most rounds there are, of one instruction and one solution each.
    """
    relay = Relay(debate)
    play = _make_play(relay, user, assistant)

    async def hold() -> None:
        message = await play.ainit_chat()
        for _ in range(rounds):
            solved, instructed = await play.astep(message)
            if instructed.terminated or solved.terminated or DONE in instructed.msg.content:
                return
            message = solved.msg

    await relay.run(hold())
    return relay.views


def _make_play(relay: Relay, user: Agent, assistant: Agent) -> RolePlaying:
    """The two with their rules, which are the library's, and the task as moot puts it to each."""
    debate, over = relay.debate, Event()

    def role(agent: Agent) -> str:
        return relay.role(agent) or agent.label

    tasks = {agent: debate.pose_question(agent) for agent in (assistant, user)}

    def has(agent: Agent, other: Agent) -> dict[str, Any]:
        return {
            "model": Backend(relay, agent, other, over, tasks[agent]),
            "agent_id": agent.seat.agent,
            "summarize_threshold": None,  # a summary would be one more call
            "step_timeout": None,  # a call may wait for its turn as long as it has to
            "retry_attempts": 1,  # the call path retries
        }

    names = {"assistant_role": role(assistant), "user_role": role(user)}
    return RolePlaying(
        names["assistant_role"],
        names["user_role"],
        with_task_specify=False,
        assistant_agent_kwargs=has(assistant, user),
        user_agent_kwargs=has(user, assistant),
        extend_sys_msg_meta_dicts=[{"task": task, **names} for task in tasks.values()],
        stop_event=over,
    )
