"""Seatings: who sits where in debates of two sides, and which side the verdicts support.

Each side has a label (affirmative or negative), one of them speaks first, one is shown first to
the judge, and each may have a persona. Arms that differ in these alone are the seatings of
one group.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from moot.core.recorded_settings import CastSettings, OpeningSettings, read_settings
from moot.core.stored import Arm, DebateValues
from moot.debate.agent_config import personas_of
from moot.debate.sides import TwoSides
from moot.parsing.ruling import SIDES
from moot.prompts.personas import name_persona
from moot.prompts.personas import personas as known_personas
from moot.statistics.accuracies import Key

SUPPORT = "supports-affirmative"
"""The value of a debate that all is taken from."""

PLACES = {
    "speaks_first": ("speaks first", "speaks second"),
    "shown_first": ("shown first", "shown second"),
}
"""The settings of places, and what a side in either place is called."""

NOBODY = "no persona"
CALLED = "called "
"""Stands before the name of a persona where it is the arbiter's name for a side."""

Name = tuple[str, str]
Signs = dict[Name, int]  # 1 where the affirmative is the first of the two, -1 where the second


class Seating(NamedTuple):
    """One arm of a group: who sits where, and the verdicts of its debates on one dataset."""

    signs: Signs
    debates: Mapping[Key, float | None]  # None for a verdict that supports neither side
    failed: int

    def questions(self) -> dict[str, float]:
        """For each question the support of the affirmative minus that of the negative, -1 to 1."""
        found: dict[str, list[float]] = {}
        for (question, _), value in self.debates.items():
            found.setdefault(question, []).append(0.0 if value is None else 2 * value - 1)
        return {question: fmean(each) for question, each in found.items()}


def group_by_seating(arms: Sequence[Arm]) -> list[tuple[str, list[Arm]]]:
    """The arms that differ in their seating alone, with a name for what they have in common.

    Where several groups have protocol, personas and opening in common, each is also called by the
    rest of its first arm's name, such as a model or a number of rounds.
    """
    found: dict[bytes, list[Arm]] = {}
    for arm in arms:
        who = sorted(_who(arm).values())
        key = msgspec.json.encode([arm.protocol, _rest(arm.factors), who], order="sorted")
        found.setdefault(key, []).append(arm)
    grouped, alike = [], Counter[tuple[str, str]]()
    for own in found.values():
        pair, opening = pair_of(own), read_settings(own[0].settings, OpeningSettings).opening
        name = f"{own[0].protocol}, {pair[0]} and {pair[1]}" if pair else own[0].protocol
        alike[name, opening] += 1
        grouped.append((name, opening, own))
    return [
        (f"{name}: {_strip_seating(own[0].name)}" if alike[name, opening] > 1 else name, own)
        for name, opening, own in grouped
    ]


def _strip_seating(name: str) -> str:
    """Return an arm's name without what a grid adds that openings and seatings vary."""
    stem, _, grid = name.rpartition(" ")
    kept = [part for part in grid.split(",") if not part.startswith(_STRIPPED)]
    return f"{stem} {','.join(kept)}".strip() or name


_STRIPPED = tuple(
    f"{each}=" for each in ("opening", "distance", "squares", "put", *PLACES, "swaps_labels")
)


def seating_rest(arm: Arm) -> bytes:
    """Return a key that arms share which differ in their seating and personas of sides alone."""
    return msgspec.json.encode([arm.protocol, _rest(arm.factors)], order="sorted")


def _rest(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without what makes a seating."""
    varied = (*PLACES, "swaps_labels", "cast")
    rest = {key: value for key, value in settings.items() if key not in varied}
    cast = read_settings(settings, CastSettings).cast
    named = {entry.get("role") for entry in cast}
    alone = len(set(SIDES) - named)  # sides that entries without a role are for, in order
    own = []
    for entry in cast:
        of_side = entry.get("role") in SIDES or ("role" not in entry and alone > 0)
        alone -= "role" not in entry
        own.append({k: v for k, v in entry.items() if k != "persona"} if of_side else entry)
    return rest | {"cast": [entry for entry in own if entry.keys() - {"role"}]}


def _who(arm: Arm) -> dict[str, str]:
    """Return the personas of the two sides, by name."""
    opens = read_settings(arm.settings, TwoSides).speaks_first != "negative"
    told = personas_of(arm.settings, SIDES if opens else SIDES[::-1])
    return {side: name_persona(told[side]) if side in told else NOBODY for side in SIDES}


def pair_of(arms: Sequence[Arm]) -> Name | None:
    """Return the names of a group's two personas; None where both sides have the same.

    They are in the order of moot's table of personas. If one is not in it, the affirmative's is
    first.

    Args:
        arms: a group that differs in its seating alone; the first arm is read.
    """
    who = _who(arms[0])
    one, other = who["affirmative"], who["negative"]
    table = list(known_personas())
    if one in table and other in table and table.index(other) < table.index(one):
        one, other = other, one
    return None if one == other else (one, other)


def _signs(arm: Arm, pair: Name | None, *, called: bool) -> Signs:
    """Return which of the two the affirmative is, of everything in which a seating can differ."""
    seated = read_settings(arm.settings, TwoSides)
    swap = -1 if seated.swaps_labels else 1
    # An arbiter who reads personas reads no such label.
    signs: Signs = {} if seated.sides_as == "persona" else {SIDES: swap}
    for setting, names in PLACES.items():
        signs[names] = -1 if getattr(seated, setting) == "negative" else 1
    if pair:
        own = signs[pair] = 1 if _who(arm)["affirmative"] == pair[0] else -1
        if called:
            signs[name_called(pair)] = own * swap
    return signs


def name_called(pair: Name) -> Name:
    """Return the names of two personas as a table writes them where an arbiter reads them."""
    return f"{CALLED}{pair[0]}", f"{CALLED}{pair[1]}"


def is_labelled(arms: Sequence[Arm]) -> bool:
    """Return whether arms tell the names that an arbiter reads from the personas who argue."""
    own = [read_settings(arm.settings, TwoSides) for arm in arms]
    told = own[0].tells_personas or own[0].sides_as == "persona"
    return told and len({each.swaps_labels for each in own}) > 1


def read_seating(
    arm: Arm, pair: Name | None, rows: Iterable[DebateValues], *, called: bool = False
) -> Seating:
    """Return the verdicts of one arm on one dataset, with who sat where.

    Args:
        arm: its settings say who sits where.
        pair: the two personas of its group; None where both are the same.
        rows: its debates.
        called: whether the names that the arbiter reads are told from the personas who argue.
    """
    debates: dict[Key, float | None] = {}
    failed = 0
    for row in rows:
        if row.failed:
            failed += 1
        else:
            debates[row.question, row.replicate] = row.values.get(SUPPORT)
    return Seating(_signs(arm, pair, called=called), debates, failed)
