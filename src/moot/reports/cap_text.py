"""Caps in words: how far each is used, and by how much replies in flight may exceed it."""

from collections.abc import Iterable, Iterator

from moot.core.plain import count, dollars, many
from moot.runtime.budget import Budget, Cap
from moot.studies.forecast import Caps


def cap_line(cap: Cap) -> str:
    """Return one cap, what is spent of it, and what may be spent beyond it."""
    parts = [f"cap {_amount(cap, cap.most)}: {_number(cap, cap.spent)} spent"]
    if cap.spent > cap.most:
        over = _number(cap, cap.spent - cap.most)
        parts.append(f"{over} more than the cap, by replies that were in flight")
    elif cap.of != "calls" and cap.in_flight:
        parts.append(beyond(cap))
    if cap.estimated:
        parts.append(f"{many(cap.estimated, 'reply')} came without usage and count as estimated")
    if cap.lost:
        parts.append(
            f"{many(cap.lost, 'call')} of it may have been in flight when a process was killed"
        )
    return "; ".join(parts)


def cap_lines(caps: Iterable[Cap]) -> str:
    """Return several caps on one line."""
    return " · ".join(map(cap_line, caps))


def beyond(cap: Cap) -> str:
    """Return by how much the replies in flight may exceed a cap."""
    flight = f"the {many(cap.in_flight, 'reply')} in flight"
    if cap.more is None:
        return f"more only by {flight}, whose length nothing limits (max_tokens would)"
    if not cap.more:
        return f"{flight} cannot exceed it"
    return f"at most {_number(cap, cap.more)} more by {flight}"


def before(foreseen: Caps) -> Iterator[str]:
    """Yield the caps of a run that has not begun, a line each, and what is known of its replies."""
    for cap in foreseen.caps:
        spent = f", {_number(cap, cap.spent)} of it spent" if cap.spent else ""
        yield f"cap {_amount(cap, cap.most)}{spent}; " + (
            "holds exactly" if cap.of == "calls" else beyond(cap)
        )
    if foreseen.usual is not None:
        yield (
            f"replies without max_tokens: up to {count(foreseen.usual)} tokens are usual, as "
            f"{many(foreseen.replies, 'reply')} in the store tell"
        )
    if foreseen.first_exceeds and foreseen.usual is None:
        yield (
            "the first reply may already exceed a cap: its length is not known before; "
            "few are asked for at once until the first replies are there"
        )


def unlimited(budget: Budget) -> str:
    """Warn of a cap on tokens or cost where replies have no ``max_tokens``; else return ""."""
    caps = [f"{count(budget.tokens)} tokens"] if budget.tokens is not None else []
    caps += [dollars(budget.cost)] if budget.cost is not None else []
    if not caps:
        return ""
    return (
        f"cap {' and '.join(caps)}: replies have no max_tokens, so those in flight can exceed it; "
        "until the first ones show how long they are, few are asked for at once, and the first may "
        "already exceed it"
    )


def _amount(cap: Cap, number: float) -> str:
    if cap.of == "cost":
        return dollars(number)
    return many(number, cap.of.removesuffix("s"))


def _number(cap: Cap, number: float) -> str:
    return dollars(number) if cap.of == "cost" else count(number)
