"""A debate that a budget or Ctrl-C stopped, as ``--json`` tells it: how far it came."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import msgspec

    from moot.core.events import Event, Transcript


def stopped(
    events: "Sequence[Event]",
    stop: BaseException,
    told: "Callable[[Transcript], msgspec.Struct]",
    unknown: "type[msgspec.Struct]",
    *,
    when: str,
    seconds: float,
    known: dict[str, Any],
) -> dict[str, Any]:
    """How far it came, with the keys of what came to its end; what is not known is None.

    Calls, tokens and cost are those of the turns there are. It has no run: none was kept.

    Args:
        events: all that happened, in any order but that the first comes first.
        stop: what stopped it.
        told: what a transcript came to.
        unknown: the type of that.
        when: for an end without a reason, when it came: ``"before the debate ended"``.
        seconds: how long it took.
        known: what is known where nothing happened at all.
    """
    from msgspec import to_builtins

    from moot.core.events import Failed, NodeFinished, Opened, Transcript, Turn

    name = "Interrupted" if isinstance(stop, KeyboardInterrupt) else type(stop).__name__
    why = Failed(kind=name, reason=str(stop) or when, seconds=seconds)
    if any(isinstance(event, Opened) for event in events):
        others = [event for event in events if not isinstance(event, Turn | NodeFinished)]
        turns = sorted((e for e in events if isinstance(e, Turn)), key=lambda turn: turn.id)
        nodes = sorted(
            (e for e in events if isinstance(e, NodeFinished)), key=lambda node: node.place
        )
        return {**to_builtins(told(Transcript((*others, *turns, *nodes, why)))), "run": None}
    nothing = dict.fromkeys(unknown.__struct_fields__)
    return {
        **nothing,
        "calls": 0,
        **known,
        "seconds": seconds,
        "failed": f"{why.kind}: {why.reason}",
    }
