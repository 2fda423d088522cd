"""Differences of golden files in words: where something is, what it is, and what it was before."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isclose
from typing import Any

Path = tuple[str | int, ...]
MISSING = object()
"""In place of a value that is in one of both only."""
IDENTITIES = {"call", "identity", "pack", "prefix_share", "seed"}
"""Fields that are others as soon as a word of a prompt is another."""
SETTINGS = {"settings", "sampling"}
LONGEST = 90


@dataclass(frozen=True)
class Difference:
    """One value that differs in a golden value, by keys; ``MISSING`` stands for nothing."""

    item: str
    path: Path
    before: Any
    after: Any


def compare(
    before: dict[str, Any], after: dict[str, Any], *, rounds: bool = False
) -> Iterator[Difference]:
    """Yield what differs between the values of a group, item by item.

    With ``rounds`` numbers are the same that differ by rounding alone.
    """
    for item in sorted(before.keys() | after.keys()):
        old, new = before.get(item, MISSING), after.get(item, MISSING)
        for path, one, two in _unlike(old, new, ()):
            if not (rounds and _is_rounded(one, two)):
                yield Difference(item, path, one, two)


def _is_rounded(one: Any, two: Any) -> bool:
    """Whether floats, or lists of them, differ as sums do on processors of unlike width."""
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return all(a == b or _is_rounded(a, b) for a, b in zip(one, two, strict=True))
    return type(one) is type(two) is float and isclose(one, two, rel_tol=1e-7, abs_tol=1e-12)


def _unlike(old: Any, new: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        for key in keys:
            yield from _unlike(old.get(key, MISSING), new.get(key, MISSING), (*path, key))
    elif _are_rows(old) and _are_rows(new) and old != new:
        if len(old) != len(new):
            yield (*path, "number"), len(old), len(new)
        for place, (one, two) in enumerate(zip(old, new, strict=False)):
            yield from _unlike(one, two, (*path, place))
    elif old is MISSING or new is MISSING or type(old) is not type(new) or old != new:
        yield path, old, new


def _are_rows(value: Any) -> bool:
    """Whether it is a list of parts that are compared one by one, such as events or cells."""
    return isinstance(value, list) and any(isinstance(each, dict | list) for each in value)


def tell(difference: Difference) -> str:
    where = ", ".join(str(each) for each in difference.path)
    return f"{difference.item}{': ' if where else ''}{where} {_change(difference)}"


def tell_debate(difference: Difference) -> str:
    """Return a difference of a debate in words: protocol, variant, debate, event, and field."""
    protocol, _, variant = difference.item.partition(": ")
    told = f"protocol {protocol}" + (f", variant {variant}" if variant else "")
    match difference.path:
        case ("run",):
            told += ": the run key"
        case ("debates", debate, "events", "number"):
            told += f", {debate}: the number of events"
        case ("debates", debate, "events", int(place), *fields):
            return f"{told}, {debate}: event {place}: {_field(fields, difference)}"
        case ("debates", debate, "values", name):
            told += f", {debate}: the value of {name}"
        case ("calls", call, *fields):
            return f"{told}, call of {call}: {_field(fields, difference)}"
        case ("prompts", call, *_):
            told += f", prompt of {call}"
        case (_, *_) as path:
            told += f": {', '.join(map(str, path))}"
    return f"{told} {_change(difference)}"


def _field(fields: Sequence[str | int], difference: Difference) -> str:
    """Return a field of an event or a call, and how it changed."""
    name = " ".join(str(each) for each in fields)
    before, after = difference.before, difference.after
    if name == "reads" and isinstance(before, list) and isinstance(after, list):
        return f"reads {_turns(after)}, before {_turns(before)}"
    return f"{name} {_change(difference)}".strip()


def _turns(ids: list[int]) -> str:
    told = f" ({', '.join(map(str, ids))})" if ids else ""
    return f"{len(ids)} turn{'s' * (len(ids) != 1)}{told}"


def _change(difference: Difference) -> str:
    if difference.before is MISSING:
        return f"is new: {_short(difference.after)}"
    if difference.after is MISSING:
        return f"is missing, before {_short(difference.before)}"
    if isinstance(difference.before, str) and isinstance(difference.after, str):
        return _wording(difference)
    return f"is {_short(difference.after)}, before {_short(difference.before)}"


def _wording(difference: Difference) -> str:
    """Return the first line in which two texts differ, from a little before where they part."""
    before, after = difference.before, difference.after
    if max(len(before), len(after)) <= LONGEST:
        return f"is {after!r}, before {before!r}"
    old, new = before.splitlines(), after.splitlines()
    lines = enumerate(zip_longest(old, new, fillvalue=""), 1)
    number, one, two = next((k, *pair) for k, pair in lines if pair[0] != pair[1])
    pairs = enumerate(zip(one, two, strict=False))
    parting = next((k for k, (a, b) in pairs if a != b), min(len(one), len(two)))
    start = max(0, parting - 20) if max(len(one), len(two)) > LONGEST else 0
    many = f"{len(new)} lines, before {len(old)}; " * (len(old) != len(new))
    return f"{many}line {number} is {_short(two[start:])}, before {_short(one[start:])}"


def _short(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    told = repr(value)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]}…"


def sum_up(
    differences: Iterator[Difference], words: Callable[[Difference], str], most: int
) -> tuple[list[str], int]:
    """Return the first differences in words, and how many there are in all.

    Identities that differ are one line for each item: a word of a prompt changes them all.
    """
    lines, count, identities = list[str](), 0, dict[str, list[Difference]]()
    for each in differences:
        count += 1
        if IDENTITIES.intersection(each.path[-1:]) and not SETTINGS.intersection(each.path):
            identities.setdefault(each.item, []).append(each)
        elif len(lines) < most:
            lines.append(words(each))
    for found in identities.values():
        if len(lines) < most:
            lines.append(f"{words(found[0])}; {len(found)} identities differ here")
    return lines, count
