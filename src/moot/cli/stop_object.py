"""What ``--json`` prints of a debate that a budget or Ctrl-C stopped."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from moot.core.events import Event, Failed, NodeFinished, Opened, Transcript, Turn


def describe_stop(
    events: Sequence[Event],
    stop: BaseException,
    shown: Callable[[Transcript], dict[str, Any]],
    keys: Iterable[str],
    *,
    when: str,
    seconds: float,
    known: dict[str, Any],
) -> dict[str, Any]:
    """Return the object for the turns there are, with the keys of a debate that ended by itself.

    Its ``run`` is None: an unfinished debate is not stored. Where nothing happened at all, every
    key that is not in ``known`` is None.

    Args:
        events: all events so far, in any order but that the first comes first.
        stop: the error that stopped it.
        shown: turns a transcript into the object.
        keys: the keys of that object.
        when: the reason for a stop that gives none, e.g. ``"before the debate ended"``.
        seconds: how long it took.
        known: the values that are known where nothing happened at all.
    """
    name = "Interrupted" if isinstance(stop, KeyboardInterrupt) else type(stop).__name__
    why = Failed(kind=name, reason=str(stop) or when, seconds=seconds)
    if any(isinstance(event, Opened) for event in events):
        others = [event for event in events if not isinstance(event, Turn | NodeFinished)]
        turns = sorted((e for e in events if isinstance(e, Turn)), key=lambda turn: turn.id)
        nodes = sorted(
            (e for e in events if isinstance(e, NodeFinished)),
            key=lambda node: (node.place, node.node),
        )
        return {**shown(Transcript((*others, *turns, *nodes, why))), "run": None}
    end = {"seconds": seconds, "failed": f"{why.kind}: {why.reason}"}
    return {**dict.fromkeys(keys), "calls": 0, **known, **end}
