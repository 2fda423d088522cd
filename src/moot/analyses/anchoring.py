"""Debates grouped by opening: arms that differ in nothing else, and the outcome of each debate."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from moot.core.questions import Kind
from moot.core.recorded_settings import OpeningSettings, read_settings
from moot.core.stored import Arm, DebateRow
from moot.debate.agent_config import models_in
from moot.debate.opening_values import OPENINGS

HEADINGS: dict[str, str] = {each: each.removeprefix("control-") for each in OPENINGS}
"""What each opening is called in the heading of a column and in a figure."""

_VARIED = ("opening", "distance", "squares", "put")


class OpeningOutcome(NamedTuple):
    """The opening of one debate and its outcome.

    Attributes:
        accuracy: None where no right answer is known.
        verdict: the answer of the verdict; None without one.
        opening: the values put forward; empty where it was asked openly.
    """

    arm: str
    dataset: str
    question: str
    replicate: int
    kind: Kind
    accuracy: float | None
    verdict: str | None
    opening: tuple[str, ...]


def read_outcomes(rows: Iterable[DebateRow]) -> Iterator[OpeningOutcome]:
    """Yield the opening and the outcome of each debate."""
    for row in rows:
        transcript = row.transcript
        verdict = transcript.verdict
        yield OpeningOutcome(
            row.arm,
            row.dataset,
            row.question,
            row.replicate,
            transcript.question.kind,
            row.values.get("accuracy"),
            None if verdict is None else verdict.answer,
            transcript.opened.opening,
        )


def group_by_opening(arms: Sequence[Arm]) -> list[list[Arm]]:
    """Return the arms that differ in their opening alone, two or more, by opening."""
    found: dict[bytes, dict[tuple[int, str], Arm]] = {}
    for arm in arms:
        key = msgspec.json.encode([arm.protocol, _rest(arm.factors)], order="sorted")
        found.setdefault(key, {}).setdefault(opening_place(arm), arm)
    return [[own[at] for at in _sort_places(own)] for own in found.values() if len(own) > 1]


def _rest(value: object) -> object:
    """Settings without what varies, that of nodes neither."""
    if isinstance(value, dict):
        return {key: _rest(each) for key, each in value.items() if key not in _VARIED}
    return [_rest(each) for each in value] if isinstance(value, list | tuple) else value


def opening_place(arm: Arm) -> tuple[int, str]:
    """Return the place of an arm's opening in ``OPENINGS``, and the values it names, in words."""
    own = read_settings(arm.settings, OpeningSettings)
    return OPENINGS.index(own.opening), describe_values(own)


def describe_values(own: OpeningSettings) -> str:
    """Return which values an opening puts forward, in a word or two; empty where it is open."""
    if own.opening == "put":
        return str(own.put)
    words = [own.distance] if own.opening in _MAY_BE_WRONG else []
    if own.opening in {"control-right", *_MAY_BE_WRONG} and own.squares == "one":
        words.append("one")
    return " ".join(words)


_MAY_BE_WRONG = ("control-wrong", "control-random")


def _sort_places(own: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    return sorted(own, key=lambda at: (at[0], at[1] == "far"))


def name_groups(grouped: Sequence[Sequence[Arm]]) -> list[str]:
    """What each group is called: its protocol, unless others have the same protocol and model.

    Then it is its first arm, as far as that does not speak of the opening; no two of a model are
    called the same.
    """
    called = [(group[0].protocol, model_names(group[0])) for group in grouped]
    for name in (_strip_opening, str):
        called = [
            kind if called.count(kind) == 1 else (name(group[0].name), kind[1])
            for kind, group in zip(called, grouped, strict=True)
        ]
    return [name for name, _ in called]


def _strip_opening(name: str) -> str:
    """Return an arm's name without the opening that a grid adds: ``stem a=1,opening=open``."""
    stem, _, grid = name.rpartition(" ")
    varied = tuple(f"{each}=" for each in _VARIED)
    kept = [part for part in grid.split(",") if not part.startswith(varied)]
    return f"{stem} {','.join(kept)}".strip() or name


def model_names(arm: Arm) -> str:
    """Return the model that speaks in it, or several names."""
    return ", ".join(models_in(arm.settings))
