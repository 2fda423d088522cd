"""Sheets: the essays on one proposition, as raters compare them without knowing whose they are."""

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import Literal, NamedTuple

from moot import InputError
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.rate.rankings import ComparedItem, Rater
from moot.contrib.essays.run_essays import Essay, parse_arms
from moot.extend.records import RunRow, decode_study

ASPECTS = ("persuasiveness", "quality")
"""The criteria of a ranking: how far essays persuade, and how good they are overall (B.2)."""
SAMPLE = 30
"""Propositions that are compared by default, as in the paper (4.2)."""
MOST = 9
"""Essays that are compared with each other: a place is one digit."""


class RatingPlan(NamedTuple):
    """A ranking by people, as the owner of a run asks for it.

    Attributes:
        run: the run's name or key.
        arms: whose essays, see ``parse_arms``; of every arm if empty.
        replicate: which of an arm's essays on a proposition.
        sample: how many propositions at most, at least 1; so many are drawn.
        seed: of that draw.
        raters: the names of those who are invited; if empty, everyone who opens the page may join.
    """

    run: str
    arms: Sequence[str] = ()
    replicate: int = 0
    sample: int = SAMPLE
    seed: int = 0
    raters: Sequence[str] = ()


class Sheet(NamedTuple):
    """The essays on one proposition, one of each arm.

    Attributes:
        id: stands for it in addresses; another as soon as other essays are compared.
        item: which proposition of which dataset, and which replicate.
        proposition: its text.
        essays: by arm.
    """

    id: str
    item: ComparedItem
    proposition: str
    essays: dict[str, str]

    def order(self, rater: Rater) -> list[str]:
        """Return the arms in the order in which this rater sees their essays.

        It is drawn for each item and rater from the seed that the rater was enrolled with: the
        same at every look, in every browser and after a restart of the server.
        """

        def draw(arm: str) -> bytes:
            key = repr((rater.seed, rater.name, self.item, arm))
            return blake2b(key.encode(), digest_size=16).digest()

        return sorted(self.essays, key=draw)


class Sheets(NamedTuple):
    """The things that a run compares.

    Attributes:
        row: the run.
        arms: whose essays, in the study's order.
        sheets: one for each proposition, in an order that was drawn; the same for all raters.
        found: propositions on which every arm has an essay.
        lacking: propositions on which some arm has none; they are left out.
        stance: what the essays do with their proposition; None where that differs.
    """

    row: RunRow
    arms: tuple[str, ...]
    sheets: tuple[Sheet, ...]
    found: int
    lacking: int
    stance: Literal["oppose", "support", "both"] | None


def make_sheets(essays: Sequence[Essay], row: RunRow, plan: RatingPlan) -> Sheets:
    """Choose what is compared.

    Args:
        essays: those of the run.
        row: the run.
        plan: what of it.

    Raises:
        InputError: there are not two arms with essays on the same proposition, or too many arms.
        UnknownName: one of the plan's arms has no essay in the run.
    """
    whose = dict.fromkeys(each.arm for each in essays)
    known = [arm.name for arm in decode_study(row).arms if arm.name in whose]
    wanted = parse_arms(plan.arms, known, where=f"run {row.key}", what="arm with essays")
    chosen = tuple(arm for arm in known if not wanted or arm in wanted)
    if not 2 <= len(chosen) <= MOST:
        raise InputError(
            f"run {row.key}: between 2 and {MOST} essays can be compared with each other, one of "
            f"each arm; with essays there are {', '.join(chosen) or 'no arms'}: choose by --arms"
        )
    found: dict[ComparedItem, list[Essay]] = {}
    for each in essays:
        if each.arm in chosen and each.replicate == plan.replicate:
            item = ComparedItem(each.dataset, each.question, each.replicate)
            found.setdefault(item, []).append(each)
    whole = sorted(item for item, written in found.items() if len(written) == len(chosen))
    if not whole:
        raise InputError(
            f"run {row.key}: on no proposition does each of {', '.join(chosen)} have an essay in "
            f"replicate {plan.replicate}; choose others by --arms or --replicate"
        )
    drawn = Random(f"judge/{plan.seed}").sample(whole, min(plan.sample, len(whole)))  # noqa: S311 -- no secret
    return Sheets(
        row,
        chosen,
        tuple(_sheet(item, found[item]) for item in drawn),
        len(whole),
        len(found) - len(whole),
        _stance(row, chosen),
    )


def _sheet(item: ComparedItem, written: Sequence[Essay]) -> Sheet:
    texts = {each.arm: each.text for each in written}
    # Without the arms: from the texts one could try which of them makes this name.
    key = repr((item, sorted(texts.values())))
    name = blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return Sheet(name, item, written[0].proposition, texts)


def _stance(row: RunRow, chosen: Sequence[str]) -> Literal["oppose", "support", "both"] | None:
    """Return the task of the writers of these arms; None where that differs."""
    named = (arm for arm in decode_study(row).arms if arm.name in chosen)
    stances = {EssaySettings.read(arm.settings).stance or "oppose" for arm in named}
    return stances.pop() if len(stances) == 1 else None
