"""A model with given replies, for tests, for demonstrations and for replaying a ledger.

From the command line: ``scripted/PATH.jsonl`` (one reply a line) or ``scripted?reply=TEXT``.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import blake2b
from inspect import isawaitable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.encoding import describe_not_json, drop_mark
from moot.core.errors import InputError, RefusedError, ScriptEnded, UnknownName
from moot.core.files import read_small
from moot.core.ports import Limits
from moot.core.thought import split_thought
from moot.models.free_model import ComputedModel, parse_latency
from moot.models.model_names import ModelName, model_registry

_MOST = 1 << 30
"""Bytes of a file of replies."""

ScriptEntry = str | Reply | Exception
"""One scripted reply: its text, the whole reply, or an error to raise instead."""

TurnKey = str | tuple[str, int]
"""An agent's name, or its name and the round."""


class Recorded(Protocol):
    """An object that finds replies by a call's identity, as every ledger does."""

    async def find(self, identity: bytes) -> Reply | None:
        """Return the reply recorded under this identity; None if there is none."""
        ...


Script = (
    Sequence[ScriptEntry]
    | Mapping[TurnKey, ScriptEntry | Sequence[ScriptEntry]]
    | Callable[[Call], ScriptEntry | Awaitable[ScriptEntry]]
    | Recorded
)


def count_words(text: str) -> int:
    """Return the number of words between white space: the tokens of models without a tokeniser."""
    return len(text.split())


def make_reply(call: Call, text: str) -> Reply:
    """Return a reply with this text. Each word of the messages and of the text is one token."""
    read = sum(count_words(message.content) for message in call.messages)
    return Reply(text=text, prompt_tokens=read, completion_tokens=count_words(text), cost=0.0)


class Scripted(ComputedModel):
    """A model that gives the replies of a script.

    Args:
        script: the source of the replies, in one of four forms. In all of them a text becomes a
            reply with a token count by ``count``, a ``Reply`` is returned as it is, an exception is
            raised.

            - *A sequence*: the replies of one debate, the first for its turn 1, the second for turn
              2 and so on. Every debate begins at the first reply. Calls without a scene (outside a
              debate) get the replies in the order of the calls.
            - *A mapping* from ``(agent, round)`` to that round's reply, else from the agent's name
              to one reply, given every time, or to a sequence of replies, the first for the agent's
              round 1, the second for its round 2 and so on.
            - *A function* of the call, plain or async.
            - *A ledger*, or anything with ``find(identity)``: the replies recorded for the model
              called ``name``.

            In a debate a reply depends only on the place of its turn, unless the script is a
            function. So a study has the same results at any concurrency, and goes on where it was
            stopped. An error in a sequence is raised at every attempt of its turn.
        name: the text after ``scripted/`` in the model's name. It enters the identity of every
            call, so another script that uses the same store needs another name.
        latency: seconds before each reply, 0 or more.
        limits: what it can take; by default 1,024 calls at once.
        count: tokens of a text; by default its words between white space.

    Raises:
        InputError: the latency is negative, or ``(agent, round)`` has a sequence of replies.
    """

    gives_logprobs = None
    takes_tools = takes_images = True

    def __init__(
        self,
        script: Script,
        *,
        name: str = "script",
        latency: float = 0.0,
        limits: Limits | None = None,
        count: Callable[[str], int] = count_words,
    ) -> None:
        super().__init__(f"scripted/{name}", limits, latency=latency, where="scripted")
        if isinstance(script, Mapping):
            for key, entry in script.items():
                if isinstance(key, tuple) and not isinstance(entry, str | Reply | Exception):
                    raise InputError(f"scripted: {key} is one turn of a debate: give it one reply")
        self._script, self._recorded_as, self._count = script, name, count
        self._bare = 0  # calls so far that came without a scene

    async def compute(self, call: Call) -> Reply:
        """Return the reply to this call.

        Raises:
            ScriptEnded: the script has no reply for it.
            RefusedError: the script goes by agents and the call has no scene.
        """
        entry = self._entry(call)
        if isawaitable(entry):
            entry = await entry
        if isinstance(entry, Exception):
            raise entry
        if isinstance(entry, Reply):
            return entry
        read = sum(self._count(message.content) for message in call.messages)
        thought, text = split_thought(entry)
        return Reply(
            text=text,
            prompt_tokens=read,
            completion_tokens=self._count(entry),
            seconds=self.latency,
            cost=0.0,
            thought=thought,
            reasoning_tokens=self._count(thought) if thought else None,
        )

    def _entry(self, call: Call) -> ScriptEntry | Awaitable[ScriptEntry]:
        script = self._script
        if isinstance(script, Sequence):
            if call.scene is not None:
                return self._get_entry(script, call.scene.turn, call)
            self._bare += 1
            return self._get_entry(script, self._bare, call)
        if isinstance(script, Mapping):
            return self._by_agent(script, call)
        if callable(script):
            return script(call)
        return self._find(script, call)

    async def _find(self, ledger: Recorded, call: Call) -> Reply:
        asked = msgspec.structs.replace(call, model=self._recorded_as)
        reply = await ledger.find(identity(asked.request(), call.draw))
        if reply is None:
            raise ScriptEnded(f"{self.name}: the ledger has no reply to this call{_place(call)}")
        return reply

    def _by_agent(
        self, script: Mapping[TurnKey, ScriptEntry | Sequence[ScriptEntry]], call: Call
    ) -> ScriptEntry:
        if call.scene is None:
            raise RefusedError(f"{self.name}: replies are by agent, and this call names none")
        agent, number = call.scene.agent, call.scene.round
        for key in ((agent, number), agent):
            if key in script:
                entry = script[key]
                if isinstance(entry, str | Reply | Exception):
                    return entry
                return self._get_entry(entry, number, call)
        raise ScriptEnded(f"{self.name}: no reply is scripted{_place(call)}")

    def _get_entry(self, entries: Sequence[ScriptEntry], number: int, call: Call) -> ScriptEntry:
        """Return the entry of this number, from 1.

        Raises:
            ScriptEnded: there are fewer entries.
        """
        if number > len(entries):
            raise ScriptEnded(
                f"{self.name}: all {len(entries)} replies are used up{_place(call)}; add more"
            )
        return entries[number - 1]


def _place(call: Call) -> str:
    """Return the place of a call in its debate, for error texts."""
    scene = call.scene
    if scene is None:
        return ""
    who = f"agent {scene.agent!r}, round {scene.round}"
    return f" (question {scene.question.id!r}, turn {scene.turn}, {who})"


class _ScriptLine(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a script file that names the agent of its reply."""

    reply: str
    agent: str
    round: int | None = None


def read_script(
    path: str, *, where: str
) -> list[ScriptEntry] | dict[TurnKey, ScriptEntry | Sequence[ScriptEntry]]:
    """Return the replies in a script file: each line is a JSON string, or each is an object.

    Strings are the replies of a debate, one for each turn. An object has ``reply``, ``agent`` and,
    if it is for one round only, ``round``. Those of an agent without a round are for its rounds 1,
    2 and so on.

    Raises:
        InputError: the file cannot be read, a line is neither, or a round of an agent comes twice.
    """
    try:
        lines = drop_mark(read_small(Path(path), most=_MOST)).splitlines()
    except OSError as error:
        raise InputError(f"{where}: cannot read {path}: {error.strerror}") from None
    replies: list[ScriptEntry] = []
    keyed: dict[TurnKey, ScriptEntry | Sequence[ScriptEntry]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = msgspec.json.decode(line, type=str | _ScriptLine)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(
                f'{path}, line {number}: {describe_not_json(error, line)}; write "TEXT" or '
                '{"agent": "NAME", "round": 1, "reply": "TEXT"} (round may be left out)'
            ) from None
        if isinstance(entry, str):
            replies.append(entry)
        elif entry.round is None:
            kept: Any = keyed.setdefault(entry.agent, [])
            kept.append(entry.reply)
        elif (entry.agent, entry.round) not in keyed:
            keyed[entry.agent, entry.round] = entry.reply
        else:
            raise InputError(
                f"{path}, line {number}: agent {entry.agent!r} has a reply for round {entry.round} "
                "already; give one for each round"
            )
    if bool(replies) == bool(keyed):
        fault = "strings and objects are mixed" if replies else "there is no reply in it"
        raise InputError(f"{path}: {fault}; every line is a string, or every line is an object")
    return replies or keyed


@model_registry.decorate("scripted")
def make_scripted(name: ModelName) -> Scripted:
    """``scripted/PATH.jsonl`` or ``scripted?reply=TEXT``, with ``latency=SECONDS`` if wanted.

    The model's name ends in a digest of its replies, so that an edited script is another model.
    """
    where = f"model {name.full!r}"
    for option in name.options:
        if option not in {"reply", "latency"}:
            raise UnknownName("option", option, ("reply", "latency"), where=where)
    latency = parse_latency(name)
    same = name.options.get("reply")
    if (same is None) == (not name.model):
        raise InputError(f"{where}: write scripted/PATH.jsonl or scripted?reply=TEXT, one of them")
    if same is not None:
        script: Script = lambda _: same  # noqa: E731
        content, stem = same.encode(), "reply"
    else:
        script = read_script(name.model, where=where)
        content, stem = read_small(Path(name.model), most=_MOST), Path(name.model).stem
    digest = blake2b(content, digest_size=4).hexdigest()
    return Scripted(script, name=f"{stem}-{digest}", latency=latency)
