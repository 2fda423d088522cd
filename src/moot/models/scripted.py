"""Replies written beforehand: a model for tests, for demonstrations and for replaying a ledger.

From the command line: ``scripted/PATH.jsonl`` (one reply a line) or ``scripted?reply=TEXT``.
"""

from asyncio import sleep
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import blake2b
from inspect import isawaitable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.errors import InputError, RefusedError, ScriptEnded, UnknownName
from moot.core.ports import Limits
from moot.models.names import ModelName, registry

Entry = str | Reply | Exception
"""One scripted reply: its text, the whole reply, or an error to raise instead."""

Key = str | tuple[str, int]
"""An agent's name, or its name and the round."""


class Recorded(Protocol):
    """Anything that knows replies by a call's identity; every ledger does."""

    def find(self, identity: bytes) -> Reply | None:
        """The recorded reply, or None."""
        ...


Script = (
    Sequence[Entry]
    | Mapping[Key, Entry | Sequence[Entry]]
    | Callable[[Call], Entry | Awaitable[Entry]]
    | Recorded
)


def words(text: str) -> int:
    """The number of words between white space: the token count of models without a tokeniser."""
    return len(text.split())


def spoken(call: Call, text: str) -> Reply:
    """A reply with that text, a word being a token in the call's messages and in the text."""
    read = sum(words(message.content) for message in call.messages)
    return Reply(text=text, prompt_tokens=read, completion_tokens=words(text), cost=0.0)


class Scripted:
    """A model that says what it was told to say.

    Args:
        script: where the replies come from. What is the same for all four: a reply given as text
            gets a token count by ``count``, a ``Reply`` is returned as it is, an exception is
            raised.

            - *A sequence*: the replies of one debate in the order in which its turns are asked for.
              Every question (and every replicate of it) begins at the first, so that any number of
              debates may run at once; calls without a scene share one pass.
            - *A mapping* from ``(agent, round)``, else from the agent's name, to one reply, given
              every time, or to a sequence of replies, gone through once per question and replicate.
              It does not depend on the order of turns.
            - *A function* of the call, plain or async.
            - *A ledger*, or anything with ``find(identity)``: the replies recorded for the model
              called ``name``.
        name: what follows ``scripted/`` in the model's name, which enters the identity of every
            call: give another name to another script that shares a store.
        latency: seconds before each reply, 0 or more.
        limits: what it can take; by default 1,024 calls at once.
        count: tokens of a text; by default its words between white space.

    Raises:
        InputError: the latency is negative.
    """

    simulated = True

    def __init__(
        self,
        script: Script,
        *,
        name: str = "script",
        latency: float = 0.0,
        limits: Limits | None = None,
        count: Callable[[str], int] = words,
    ) -> None:
        if not latency >= 0:
            raise InputError(f"scripted: latency {latency!r} is negative; it is in seconds, from 0")
        self._script, self._recorded_as, self._latency, self._count = script, name, latency, count
        self._limits = limits or Limits(concurrency=1024)
        self._name = f"scripted/{name}"
        self._used: defaultdict[tuple[object, ...], int] = defaultdict(int)

    @property
    def name(self) -> str:
        """``scripted/`` and the given name."""
        return self._name

    @property
    def endpoint(self) -> str:
        """The name: every script has limits of its own."""
        return self._name

    @property
    def limits(self) -> Limits:
        """As given."""
        return self._limits

    async def reply(self, call: Call) -> Reply:
        """Give the next reply.

        Raises:
            ScriptEnded: there is none for this call.
            RefusedError: the script goes by agents and the call has no scene.
        """
        entry = self._next(call)  # before any wait, so that replies go out in the order of asking
        if self._latency:
            await sleep(self._latency)
        if isawaitable(entry):
            entry = await entry
        if isinstance(entry, Exception):
            raise entry
        if isinstance(entry, Reply):
            return entry
        read = sum(self._count(message.content) for message in call.messages)
        return Reply(
            text=entry,
            prompt_tokens=read,
            completion_tokens=self._count(entry),
            seconds=self._latency,
            cost=0.0,
        )

    def cost(self, reply: Reply) -> float | None:  # noqa: ARG002  (the interface of a model)
        """Nothing: 0 dollars."""
        return 0.0

    async def close(self) -> None:
        """Nothing is held."""

    def _next(self, call: Call) -> Entry | Awaitable[Entry]:
        script = self._script
        if isinstance(script, Sequence):
            return self._take(script, call, "")
        if isinstance(script, Mapping):
            return self._by_agent(script, call)
        if callable(script):
            return script(call)
        recorded = msgspec.structs.replace(call, model=self._recorded_as)
        reply = script.find(identity(recorded.request(), call.draw))
        if reply is None:
            raise ScriptEnded(f"{self._name}: the ledger has no reply to this call{_place(call)}")
        return reply

    def _by_agent(self, script: Mapping[Key, Entry | Sequence[Entry]], call: Call) -> Entry:
        if call.scene is None:
            raise RefusedError(f"{self._name}: replies are by agent, and this call names none")
        agent, number = call.scene.agent, call.scene.round
        for key in ((agent, number), agent):
            if key in script:
                entry = script[key]
                if isinstance(entry, str | Reply | Exception):
                    return entry
                return self._take(entry, call, key)
        raise ScriptEnded(f"{self._name}: no reply is scripted{_place(call)}")

    def _take(self, entries: Sequence[Entry], call: Call, key: object) -> Entry:
        """The next of these for this question and replicate."""
        scene = call.scene
        place = (key, scene.question.id, call.draw.replicate) if scene else (key,)
        index = self._used[place]
        if index >= len(entries):
            raise ScriptEnded(
                f"{self._name}: all {len(entries)} replies are used up{_place(call)}; add more"
            )
        self._used[place] = index + 1
        return entries[index]


def _place(call: Call) -> str:
    """Where in a debate a call stands, for error texts."""
    scene = call.scene
    if scene is None:
        return ""
    return f" (question {scene.question.id!r}, agent {scene.agent!r}, round {scene.round})"


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a script file that says whose reply it is."""

    reply: str
    agent: str
    round: int | None = None


def read(path: str, *, where: str) -> list[Entry] | dict[Key, Entry | Sequence[Entry]]:
    """Read a script file: every line a JSON string, or every line an object.

    Strings are the replies of a debate in order. An object has ``reply``, ``agent`` and, if it is
    for one round only, ``round``; several for the same agent and round are given in turn.

    Raises:
        InputError: the file cannot be read, or a line is neither.
    """
    try:
        lines = Path(path).read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{where}: cannot read {path}: {error.strerror}") from None
    replies: list[Entry] = []
    keyed: dict[Key, Entry | Sequence[Entry]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = msgspec.json.decode(line, type=str | _Line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(
                f'{path}, line {number}: {error}; write "TEXT" or '
                '{"agent": "NAME", "round": 1, "reply": "TEXT"} (round may be left out)'
            ) from None
        if isinstance(entry, str):
            replies.append(entry)
        else:
            key: Key = entry.agent if entry.round is None else (entry.agent, entry.round)
            kept: Any = keyed.setdefault(key, [])
            kept.append(entry.reply)
    if bool(replies) == bool(keyed):
        fault = "strings and objects are mixed" if replies else "there is no reply in it"
        raise InputError(f"{path}: {fault}; every line is a string, or every line is an object")
    return replies or keyed


@registry.decorate("scripted")
def scripted(name: ModelName) -> Scripted:
    """``scripted/PATH.jsonl`` or ``scripted?reply=TEXT``, with ``latency=SECONDS`` if wanted.

    The model's name ends in a digest of its replies, so that an edited script is another model.
    """
    where = f"model {name.full!r}"
    for option in name.options:
        if option not in {"reply", "latency"}:
            raise UnknownName("option", option, ("reply", "latency"), where=where)
    try:
        latency = float(name.options.get("latency", "0"))
    except ValueError:
        text = name.options["latency"]
        raise InputError(f"{where}: latency={text!r} is no number of seconds") from None
    same = name.options.get("reply")
    if (same is None) == (not name.model):
        raise InputError(f"{where}: write scripted/PATH.jsonl or scripted?reply=TEXT, one of them")
    if same is not None:
        return Scripted(lambda _: same, name=f"reply-{_digest(same.encode())}", latency=latency)
    script = read(name.model, where=where)
    digest = _digest(Path(name.model).read_bytes())
    return Scripted(script, name=f"{Path(name.model).stem}-{digest}", latency=latency)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=4).hexdigest()
