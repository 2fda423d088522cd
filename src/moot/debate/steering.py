"""Steering: what a person who follows a debate asks of it while it runs.

A step takes effect at the end of a round. There it is recorded in the transcript, so that the same
steps, given to the same debate, give the same transcript. A debate that goes on after a restart has
them from the ledger: each is a record as that of a reply.
"""

from collections.abc import Iterable
from typing import Any, Literal, get_args

import msgspec

from moot.core.calls import Call, Draw, Reply, identity
from moot.core.encoding import replace_surrogates
from moot.core.errors import InputError
from moot.core.events import Noted, Transcript
from moot.core.messages import Message
from moot.core.ports import Ledger

Way = Literal["remark", "extend", "decide"]
"""A remark for all agents, one more round, or the decision now."""

LONGEST = 10_000
"""Characters of the longest remark."""
RECORDER = "steering"
"""The name of the model by which the ledger has a step."""


class SteeringStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a person asks of a running debate.

    Attributes:
        way: what is asked.
        since: it takes effect at the end of the first round whose newest turn has a higher id.
        text: of a remark; else empty.
    """

    way: Way
    since: int = 0
    text: str = ""


class Steering:
    """The steps that steer one debate. Give it to one debate alone.

    Args:
        steps: those that are known before the debate begins, as of an earlier one that is repeated.

    Attributes:
        steps: all steps so far, in the order in which they were asked for.
        remarks: the texts that all agents are shown from now on.
    """

    LONGEST = LONGEST
    WAYS = get_args(Way)

    def __init__(self, steps: Iterable[SteeringStep] = ()) -> None:
        self.steps = [*steps]
        self.remarks: tuple[str, ...] = ()
        self._waiting = [*self.steps]
        self._turn = 0

    @classmethod
    def of(cls, transcript: Transcript) -> "Steering":
        """Return the steps of a recorded debate, to repeat it with them."""
        return cls(
            SteeringStep(
                way=note.what,
                since=note.after - note.ends,  # one that came too late does so again
                text=note.why if note.what == "remark" else "",
            )
            for note in transcript.notes
            if note.what in {"remark", "extend", "decide"}
        )

    @classmethod
    async def load(cls, ledger: Ledger, run: str, replicate: int) -> "Steering":
        """Return the steps that ``record`` has put into the ledger, such as before a restart.

        Args:
            ledger: the ledger.
            run: the run's key.
            replicate: the debate's number among those of the same question.
        """
        steps: list[SteeringStep] = []
        while (reply := await ledger.find(_identify(run, replicate, len(steps))[1])) is not None:
            steps.append(_decode(reply.text))
        return cls(steps)

    async def record(
        self, ledger: Ledger, run: str, replicate: int, way: Way, text: str = ""
    ) -> None:
        """Ask for something, see ``add``; return once the step is durable.

        Args:
            ledger: the ledger.
            run: the run's key.
            replicate: the debate's number among those of the same question.
            way: what is asked.
            text: of a remark.

        Raises:
            InputError: the remark is empty or too long.
            StoreError: it cannot be written.
        """
        call, key = _identify(run, replicate, len(self.steps))
        step = self.add(way, text)
        if await ledger.claim(key) is None:
            written = msgspec.json.encode(step).decode()
            reply = Reply(text=written, prompt_tokens=0, completion_tokens=0, cost=0.0)
            await ledger.record(key, call, call.request(), reply)

    def remark(self, text: str) -> SteeringStep:
        """Show all agents a remark from the next round on; see ``add``."""
        return self.add("remark", text)

    def extend(self) -> SteeringStep:
        """Have another round after the last one, also where the debate would end before it."""
        return self.add("extend")

    def decide(self) -> SteeringStep:
        """Have no further round: the debate decides at the end of this one."""
        return self.add("decide")

    def take(self, turn: int) -> list[SteeringStep]:
        """Return the steps that take effect at the end of a round, once each.

        Args:
            turn: the id of the round's newest turn; 0 before the first round.
        """
        if not turn:
            return []
        self._turn = turn
        taken = [step for step in self._waiting if step.since < turn]
        self._waiting = [step for step in self._waiting if step.since >= turn]
        self.remarks += tuple(step.text for step in taken if step.way == "remark")
        return taken

    def take_rest(self) -> list[SteeringStep]:
        """Return the steps that came too late: they have no effect."""
        rest, self._waiting = self._waiting, []
        return rest

    def add(self, way: Way, text: str = "") -> SteeringStep:
        """Ask for something, and return the step.

        Args:
            way: what is asked.
            text: of a remark.

        Raises:
            InputError: a remark is empty, or longer than 10,000 characters.
        """
        text = replace_surrogates(text).strip() if way == "remark" else ""
        if way == "remark" and not text:
            raise InputError("remark: it is empty; write what all agents shall read")
        if len(text) > LONGEST:
            raise InputError(f"remark: it has {len(text):,} characters, and may have {LONGEST:,}")
        step = SteeringStep(way=way, since=self._turn, text=text)
        self.steps.append(step)
        self._waiting.append(step)
        return step


_decode = msgspec.json.Decoder(SteeringStep).decode


def _identify(run: str, replicate: int, number: int) -> tuple[Call, bytes]:
    """Return the call by which the ledger has a step, and its identity."""
    draw = Draw(replicate, 0, number)
    call = Call(model=RECORDER, messages=(Message("user", run),), draw=draw)
    return call, identity(call.request(), draw)


def describe_step(step: SteeringStep) -> str:
    """Return a step in words, as its note in the transcript says it."""
    words = {"extend": "another round was asked for", "decide": "a decision was asked for"}
    return step.text if step.way == "remark" else words[step.way]


def make_note(step: SteeringStep, **place: Any) -> Noted:  # noqa: ANN401 -- fields of the note
    """Return the transcript's note of a step; ``place`` has its other fields."""
    return Noted(what=step.way, why=describe_step(step), **place)
