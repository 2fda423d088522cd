"""What prompts convey: every request of one debate, by step, role and round, and checks on it."""

import re
from dataclasses import dataclass
from itertools import count
from typing import Any

from moot.core.calls import Call, Message
from moot.core.ports import Ledger
from moot.core.questions import Question
from moot.models.scripted import Scripted
from support.debates import SUM, hold, says

_NAMES = count()


@dataclass(frozen=True)
class Request:
    """What one agent was sent for one turn."""

    agent: str
    role: str
    step: str
    round: int
    messages: tuple[Message, ...]
    temperature: float | None

    @property
    def system(self) -> str:
        return "".join(each.content for each in self.messages if each.role == "system")

    @property
    def prompt(self) -> str:
        return self.messages[-1].content

    @property
    def text(self) -> str:
        return "\n\n".join(each.content for each in self.messages)


class Requests(tuple[Request, ...]):
    """The requests of a debate, in the order of their turns."""

    __slots__ = ()

    def of(self, **sought: object) -> "Requests":
        """Those with these attributes, e.g. ``of(step="revise", round=2)``; at least one."""
        found = Requests(
            each for each in self if all(getattr(each, k) == v for k, v in sought.items())
        )
        assert found, f"no request with {sought}"
        return found

    def one(self, **sought: object) -> Request:
        found = self.of(**sought)
        assert len(found) == 1, f"{len(found)} requests with {sought}"
        return found[0]


async def requests(
    name: str, store: Ledger, replies: Any = None, /, *, question: Question = SUM, **given: Any
) -> Requests:
    """Hold one debate with scripted replies and return every request that was sent."""
    sent = []
    script = replies or (lambda call: says(call, ends=10**9))
    queue = None if callable(script) else iter(script)

    def reply(call: Call) -> Any:
        scene = call.scene
        of = (scene.agent, scene.role, scene.step, scene.round)
        sent.append((scene.turn, Request(*of, call.messages, call.sampling.temperature)))
        return script(call) if queue is None else next(queue)

    model = Scripted(reply, name=f"conveys-{next(_NAMES)}")
    held = await hold(name, model, store, question=question, **given)
    assert held.failed is None, held.failed
    return Requests(request for _, request in sorted(sent, key=lambda each: each[0]))


def assert_order(text: str, *parts: str) -> None:
    """Assert that these parts stand in a text, in this order."""
    place = 0
    for part in parts:
        found = text.find(part, place)
        assert found >= 0, f"{part!r} is missing, or stands too early, in:\n{text}"
        place = found + len(part)


def assert_lacks(text: str, *patterns: str) -> None:
    """Assert that none of these regular expressions is found, whatever the case."""
    for pattern in patterns:
        found = re.search(pattern, text, re.IGNORECASE)
        assert not found, f"{pattern!r} matches {found and found[0]!r} in:\n{text}"
