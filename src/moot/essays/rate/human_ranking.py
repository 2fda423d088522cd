"""What people who compared the essays of a run came to ("Debate-to-Write", section 4.2, B.2)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from moot.core.errors import InputError
from moot.core.stored import RunRow
from moot.essays.rate.raters import Agreement, Ranking, Score, agreements, scores
from moot.essays.run_essays import arms_named
from moot.ledger.rankings import Entered, Item
from moot.ledger.store import Store
from moot.studies.run import about


class Human(msgspec.Struct, frozen=True, kw_only=True):
    """What raters made of the essays of one run.

    Attributes:
        run: its key.
        name: of its study.
        simulated: whether some arm's essays are of no language model.
        scores: of every arm by every aspect.
        agreements: how far raters agree, by aspect.
        raters: who ranked at least one item.
        items: propositions ranked by anybody.
        rankings: of an item by a rater for an aspect, with a place for every essay.
        partial: those begun in which some essay has no place yet; they count nowhere.
    """

    run: str
    name: str
    simulated: bool
    scores: tuple[Score, ...]
    agreements: tuple[Agreement, ...]
    raters: int
    items: int
    rankings: int
    partial: int


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place as it was entered, as a row of a table.

    Attributes:
        rater: the name that the rater gave or was given.
        shown: as which of the item's essays the rater saw it, from 1.
        essays: how many were compared.
        time: when it was entered, UTC, in ISO 8601.
        counts: whether it is the rater's last of this essay and aspect.
    """

    rater: str
    dataset: str
    item: str
    replicate: int
    aspect: str
    arm: str
    place: int
    shown: int
    essays: int
    time: str
    counts: bool


def human(store: Store, row: RunRow, *, arms: Sequence[str] = ()) -> Human:
    """What the raters of a run came to so far.

    Args:
        store: which has the run.
        row: the run.
        arms: only these, as if no other had been ranked, see ``arms_named``; every one if not
            given.

    Raises:
        InputError: nobody has entered a whole ranking, or it is a single arm.
        UnknownName: one of ``arms`` is not in the run.
    """
    study = about(row)
    known = [arm.name for arm in study.arms]
    arms = arms_named(arms, known, where=f"run {row.key}")
    if len(arms) == 1:
        raise InputError(f"run {row.key}: {arms[0]} alone has no rank: name two arms or more")
    whole, partial = rankings(store.rankings.entered(row.id), arms=arms)
    if not whole:
        begun = " but parts of some" if partial else ""
        raise InputError(
            f"run {row.key}: nobody has ranked its essays yet{begun}; moot judge {row.key} gives "
            "raters the page to do so"
        )
    ranked = {arm for each in whole for arm in each.places}
    return Human(
        run=row.key,
        name=row.name,
        simulated=not ranked.isdisjoint(study.simulated),
        scores=tuple(scores(whole)),
        agreements=tuple(agreements(whole)),
        raters=len({each.rater for each in whole}),
        items=len({each.item for each in whole}),
        rankings=len(whole),
        partial=partial,
    )


class _Key(NamedTuple):
    rater: str
    item: Item
    aspect: str


def rankings(entered: Iterable[Entered], *, arms: Sequence[str] = ()) -> tuple[list[Ranking], int]:
    """The rankings that were entered whole, by the last place of each essay.

    A ranking is whole once as many essays have a place as the rater compared when entering the
    last one. It comes where its last place was entered.

    Args:
        entered: all places, in the order in which they were entered.
        arms: only these; every one if not given.

    Returns:
        The rankings, and how many were only begun.
    """
    places: dict[_Key, dict[str, int]] = {}
    wanted: dict[_Key, int] = {}
    for each in entered:
        choice = each.choice
        key = _Key(each.rater, choice.item, choice.aspect)
        places[key] = {**places.pop(key, {}), choice.arm: choice.place}
        wanted[key] = choice.essays
    found, partial = list[Ranking](), 0
    for key, given in places.items():
        kept = {arm: place for arm, place in given.items() if not arms or arm in arms}
        if len(given) < wanted[key]:
            partial += 1
        elif len(kept) > 1:
            name = "\0".join(map(str, key.item))
            found.append(Ranking(rater=key.rater, item=name, aspect=key.aspect, places=kept))
    return found, partial


def exported(entered: Sequence[Entered]) -> Iterator[Place]:
    """Everything that was entered, as rows, in that order."""
    last = {
        (each.rater, each.choice.item, each.choice.aspect, each.choice.arm): number
        for number, each in enumerate(entered)
    }
    counts = set(last.values())
    for number, each in enumerate(entered):
        choice = each.choice
        yield Place(
            rater=each.rater,
            dataset=choice.item.dataset,
            item=choice.item.question,
            replicate=choice.item.replicate,
            aspect=choice.aspect,
            arm=choice.arm,
            place=choice.place,
            shown=choice.shown,
            essays=choice.essays,
            time=datetime.fromtimestamp(each.created, UTC).isoformat(timespec="milliseconds"),
            counts=number in counts,
        )
