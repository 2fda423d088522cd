"""People judge the pairs of a run: who takes part, which pair is next, what is kept."""

import asyncio
from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from secrets import randbits, token_urlsafe
from typing import Literal, NamedTuple, TypeAlias

from moot import RecordedRuns
from moot.contrib.judging.choices import Chosen, PairChoice, PairChoices, PairRater, Side
from moot.contrib.judging.pairs import Pair, PairPlan, RunPairs, read_pairs
from moot.contrib.judging.preferences import (
    MARGIN,
    JudgingResult,
    Preference,
    describe_judging,
)
from moot.contrib.judging.raters import check_name, refuse_name, require_room
from moot.extend.studies import Lab

Key: TypeAlias = Literal["1", "2", "0", "s", "u"]
"""The first answer is better, the second, neither; skip the pair; undo the last choice."""
_BLOCK = 4
"""Of so many pairs in a row, half have the council's answer first."""


class ShownPair(NamedTuple):
    """A pair as one rater sees it.

    Attributes:
        pair: the two answers.
        first: the side that is shown first; no rater sees it.
        number: the place among all pairs, from 1.
        answered: the pairs on which the rater has made a choice.
        id: a digest of the pair and the order of its answers, which gives away neither.
    """

    pair: Pair
    first: Side
    number: int
    answered: int
    id: str

    @property
    def texts(self) -> tuple[str, str]:
        """The two answers in the order shown."""
        both = self.pair.council, self.pair.solo
        return both if self.first == "council" else both[::-1]


class JudgingSession:
    """The pairs of one run while people judge them.

    Attributes:
        pairs: what is judged.
        margin: the greatest difference that counts as equal, 0 to 1.
        invited: the raters who were named; empty where everyone may join.
    """

    def __init__(self, pairs: RunPairs, choices: PairChoices, *, margin: float = MARGIN) -> None:
        self.pairs, self.margin, self.invited = pairs, margin, list[PairRater]()
        self._choices = choices
        self._entering = asyncio.Lock()

    @classmethod
    async def open(cls, lab: Lab, plan: PairPlan, *, margin: float = MARGIN) -> "JudgingSession":
        """Read what is judged.

        Raises:
            InputError: there is no such run, or nothing in it to judge.
            StoreError: the store cannot be read.
        """
        runs = RecordedRuns(lab, [plan.run])
        pairs = await asyncio.to_thread(read_pairs, runs, plan)
        return cls(pairs, PairChoices(lab.store, pairs.row.id, pairs.match), margin=margin)

    async def invite(self, names: Sequence[str]) -> None:
        """Enrol raters, or find those who are enrolled. Raises ``InputError`` for no name."""
        for name in dict.fromkeys(map(check_name, names)):
            self.invited.append(await self.enrol(name))

    async def enrol(self, name: str) -> PairRater:
        """Return the rater of a name; a new one where nobody has it."""
        # Drawn: from a known seed one could work out whose answer is which.
        return await self._choices.add_rater(check_name(name), token_urlsafe(16), randbits(62))

    async def join(self, name: str) -> PairRater:
        """Enrol a rater under a new name.

        Raises:
            InputError: it is no name, another rater has it, or there are ``MOST_RATERS``.
        """
        name, known = check_name(name), self._choices.raters()
        require_room(len(known))
        if name in {each.name for each in known}:
            raise refuse_name(name)
        return await self.enrol(name)

    def rater(self, key: str) -> PairRater | None:
        """Return the rater with this key; None where no rater has it."""
        return self._choices.rater(key)

    def next(self, rater: PairRater) -> ShownPair | None:
        """Return the first pair without a choice of the rater; None where all have one."""
        last = {each.pair: each.choice for each in self._choices.of(rater)}
        done = {key for key, choice in last.items() if choice != "undo"}
        waiting = (n for n, pair in enumerate(self.pairs.pairs) if pair.key not in done)
        if (place := next(waiting, None)) is None:
            return None
        return self._show(rater, place, sum(pair.key in done for pair in self.pairs.pairs))

    async def enter(self, rater: PairRater, key: Key, shown: str) -> bool:
        """Keep a choice durably; return False where another pair is next than the one shown.

        Args:
            rater: who chose.
            key: what was chosen.
            shown: the ``id`` of the pair that the rater saw; empty where all were judged.
        """
        async with self._entering:  # the next pair must not change between the look and the entry
            found = self.next(rater)
            if (found.id if found else "") != shown:
                return False
            if key == "u":
                await self._undo(rater)
            elif found is not None:
                other: Side = "solo" if found.first == "council" else "council"
                chosen: dict[Key, Chosen] = {"1": found.first, "2": other, "0": "same", "s": "skip"}
                await self._choices.add(rater, found.pair.key, found.first, chosen[key])
            return True

    async def _undo(self, rater: PairRater) -> None:
        """Take back the last choice that counts, if there is one."""
        last: dict[object, PairChoice] = {}
        for each in self._choices.of(rater):
            last.pop(each.pair, None)
            last[each.pair] = each
        known = {pair.key for pair in self.pairs.pairs}
        counting = [each for each in last.values() if each.choice != "undo" and each.pair in known]
        if counting:
            await self._choices.add(rater, counting[-1].pair, counting[-1].first, "undo")

    def result(self) -> JudgingResult:
        """Return the result of all raters so far."""
        entered = {each.name: self._choices.of(each) for each in self._choices.raters()}
        return describe_judging(self.pairs, entered, margin=self.margin)

    def entries(self) -> list[tuple[str, PairChoice]]:
        """Return all that was entered, with the names of raters, in the order of time."""
        found = [
            (each.name, one) for each in self._choices.raters() for one in self._choices.of(each)
        ]
        return sorted(found, key=lambda entry: entry[1].created)

    def _show(self, rater: PairRater, place: int, answered: int) -> ShownPair:
        pair, secret = self.pairs.pairs[place], (rater.seed, rater.name)
        sides: list[Side] = ["council", "solo"] * (_BLOCK // 2)
        Random(repr((*secret, place // _BLOCK))).shuffle(sides)  # noqa: S311 -- of a drawn seed
        first = sides[place % _BLOCK]
        digest = blake2b(repr((*secret, pair.key, first)).encode("utf-8", "replace"), digest_size=9)
        return ShownPair(pair, first, place + 1, answered, digest.hexdigest())


def find_settled(result: JudgingResult) -> Preference | None:
    """Return the settled class: of all raters together, where there are several; None if open."""
    said = result.together or next(iter(result.raters), None)
    return said if said is not None and said.class_ != "open" else None
