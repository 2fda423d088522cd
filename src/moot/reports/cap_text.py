"""Caps in words: how far each is used, and by how much replies in flight may exceed it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from moot.core.display_text import format_count, format_dollars, format_things
from moot.runtime.budget import CapState

if TYPE_CHECKING:
    from moot.studies.forecast import Caps


def cap_line(cap: CapState) -> str:
    """Return one cap, what is spent of it, and what may be spent beyond it."""
    parts = [f"cap {_amount(cap, cap.most)}: {_number(cap, cap.spent)} spent"]
    if cap.spent > cap.most:
        over = _number(cap, cap.spent - cap.most)
        parts.append(f"{over} more than the cap, by replies that were in flight")
    elif cap.of != "calls" and cap.in_flight:
        parts.append(describe_excess(cap))
    if cap.estimated:
        parts.append(
            f"{format_things(cap.estimated, 'reply')} came without usage and count as estimated"
        )
    if cap.lost:
        parts.append(
            f"{format_things(cap.lost, 'call')} of it may have been in flight when a process was "
            "killed"
        )
    return "; ".join(parts)


def cap_lines(caps: Iterable[CapState]) -> str:
    """Return several caps on one line."""
    return " · ".join(map(cap_line, caps))


def describe_excess(cap: CapState) -> str:
    """Return words for the most by which the replies in flight may exceed a cap."""
    flight = f"the {format_things(cap.in_flight, 'reply')} in flight"
    if cap.more is None:
        return f"more only by {flight}, whose length nothing limits (max_tokens would)"
    if not cap.more:
        return f"{flight} cannot exceed it"
    return f"at most {_number(cap, cap.more)} more by {flight}"


def describe_caps(foreseen: "Caps") -> Iterator[str]:
    """Yield the caps of a run that has not begun, a line each, and what is known of its replies."""
    for cap in foreseen.caps:
        spent = f", {_number(cap, cap.spent)} of it spent" if cap.spent else ""
        yield f"cap {_amount(cap, cap.most)}{spent}; " + (
            "never exceeded" if cap.of == "calls" else describe_excess(cap)
        )
    if foreseen.usual is not None:
        yield (
            f"replies without max_tokens: up to {format_count(foreseen.usual)} tokens are usual, "
            "as "
            f"{format_things(foreseen.replies, 'reply')} in the store tell"
        )
    if foreseen.first_exceeds and foreseen.usual is None:
        yield (
            "the first reply may already exceed a cap: its length is not known before; "
            "few are asked for at once until the first replies are there"
        )


def _amount(cap: CapState, number: float) -> str:
    if cap.of == "cost":
        return format_dollars(number)
    return format_things(number, cap.of.removesuffix("s"))


def _number(cap: CapState, number: float) -> str:
    return format_dollars(number) if cap.of == "cost" else format_count(number)
