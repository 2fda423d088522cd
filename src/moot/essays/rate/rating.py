"""What is judged on a server, and how far each rater is."""

import asyncio
from collections.abc import Sequence
from secrets import randbits, token_urlsafe
from typing import NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request

from moot.core.errors import InputError
from moot.core.plain import line
from moot.core.stored import RunRow
from moot.essays.rate.blind import ASPECTS, SAMPLE, Sheet, Sheets, sheets
from moot.essays.run_essays import essays_of
from moot.ledger.rankings import Choice, Item, Rankings, Rater

LONGEST = 60
"""Characters of a rater's name."""
MOST_RATERS = 1000
"""Raters that a run may have, so that nobody fills the store by asking for more."""

Places = dict[tuple[str, str], int]  # aspect, arm: the place that counts


class Plan(NamedTuple):
    """What the owner wants judged.

    Attributes:
        run: the run's name or key.
        arms: whose essays; of every arm if empty.
        replicate: which of an arm's essays on a proposition.
        sample: propositions at most.
        seed: of the sample.
        raters: the names of those who judge; anybody who comes if empty.
    """

    run: str
    arms: Sequence[str] = ()
    replicate: int = 0
    sample: int = SAMPLE
    seed: int = 0
    raters: Sequence[str] = ()


class Judging:
    """The essays of one run as they are judged.

    Attributes:
        row: the run.
        sheets: what is compared.
        invited: the raters that were named; empty where anybody may come.
    """

    def __init__(self, row: RunRow, found: Sheets, rankings: Rankings) -> None:
        self.row, self.sheets, self.invited = row, found, list[Rater]()
        self.known = {each.id: number for number, each in enumerate(found.sheets)}
        self._rankings = rankings
        self._entering = asyncio.Lock()

    @property
    def open(self) -> bool:
        """Whether anybody may come and give a name."""
        return not self.invited

    async def invite(self, names: Sequence[str]) -> None:
        """Enrol these, or find them where they are enrolled. Raises ``InputError`` for no name."""
        for name in dict.fromkeys(map(named, names)):
            self.invited.append(await self._enrol(name, token_urlsafe(16)))

    async def join(self, name: str) -> Rater:
        """Enrol one who came. Raises ``InputError`` for what is no name, or is another's."""
        name, key = named(name), token_urlsafe(16)
        if len(self._rankings.raters(self.row.id)) >= MOST_RATERS:
            raise InputError(f"there are {MOST_RATERS} raters already, and no room for more")
        rater = await self._enrol(name, key)
        if rater.key != key:
            raise InputError(
                f"somebody is called {name!r} already: choose another name, or open the link that "
                "you were given when you began"
            )
        return rater

    def rater(self, key: str) -> Rater | None:
        """Whose key this is."""
        return self._rankings.rater(self.row.id, key)

    def places(self, rater: Rater) -> dict[Item, Places]:
        """The places a rater gave that count: of each essay and aspect the last."""
        found: dict[Item, Places] = {}
        for each in self._rankings.chosen(rater.id):
            found.setdefault(each.item, {})[each.aspect, each.arm] = each.place
        return found

    async def enter(self, rater: Rater, sheet: Sheet, given: dict[tuple[str, str], int]) -> None:
        """Keep places durably, as far as they are other than those that count."""
        async with self._entering:  # what counts must not change between the look and the entry
            now = self.places(rater).get(sheet.item, {})
            order = sheet.order(rater)
            new = [
                Choice(sheet.item, aspect, arm, place, order.index(arm) + 1, len(order))
                for (aspect, arm), place in given.items()
                if now.get((aspect, arm)) != place
            ]
            if new:
                await self._rankings.enter(rater.id, new)

    def left(self, sheet: Sheet, places: dict[Item, Places]) -> int:
        """How many places of a sheet are not yet given."""
        given = places.get(sheet.item, {})
        wanted = {(aspect, arm) for aspect in ASPECTS for arm in sheet.essays}
        return len(wanted - given.keys())

    def done(self, places: dict[Item, Places]) -> list[bool]:
        """Of each sheet whether all its places are given."""
        return [not self.left(sheet, places) for sheet in self.sheets.sheets]

    async def _enrol(self, name: str, key: str) -> Rater:
        # Drawn: who knows the seed, and moot, could work out whose essay is which.
        return await self._rankings.enrol(self.row.id, name, key, randbits(62))


def named(text: str) -> str:
    """A rater's name on one line. Raises ``InputError`` where it is none."""
    name = line(text.strip(), LONGEST + 1)
    if not name or len(name) > LONGEST:
        raise InputError(f"a rater's name has 1 to {LONGEST} characters")
    return name


async def opened(app: Starlette, plan: Plan) -> None:
    """Have an application judge; its laboratory is open.

    Raises:
        InputError: there is no such run, or nothing in it to compare.
        StoreError: the store cannot be read or written.
    """
    store = app.state.lab.store
    row = store.run_named(plan.run)
    essays = await asyncio.to_thread(essays_of, store, row)
    found = sheets(
        essays,
        row,
        arms=plan.arms,
        replicate=plan.replicate,
        sample=plan.sample,
        seed=plan.seed,
    )
    judging = Judging(row, found, store.rankings)
    await judging.invite(plan.raters)
    app.state.judging = judging


def judging(request: Request) -> Judging:
    """What is judged on the server."""
    found: Judging = request.app.state.judging
    return found
