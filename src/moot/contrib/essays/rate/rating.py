"""People rank essays on a server: what they compare, who takes part, what they have entered."""

import asyncio
from collections.abc import Mapping, Sequence
from secrets import randbits, token_urlsafe

from starlette.applications import Starlette
from starlette.requests import Request

from moot import RecordedRuns
from moot.contrib.essays.rate.rankings import ComparedItem, RankingChoice, Rankings, Rater
from moot.contrib.essays.rate.sheets import ASPECTS, RatingPlan, Sheet, Sheets, make_sheets
from moot.contrib.essays.run_essays import read_essays
from moot.contrib.judging.raters import check_name, refuse_name, require_room

GivenPlaces = dict[tuple[str, str], int]  # aspect, arm: the place that counts


class RatingSession:
    """The essays of one run while people rank them.

    Attributes:
        row: the run.
        sheets: what is compared.
        numbers: the number of each sheet, from 0, by its id.
        invited: the raters who were named; empty where everyone may join.
    """

    def __init__(self, sheets: Sheets, rankings: Rankings) -> None:
        self.row, self.sheets, self.invited = sheets.row, sheets, list[Rater]()
        self.numbers = {each.id: number for number, each in enumerate(sheets.sheets)}
        self._rankings = rankings
        self._entering = asyncio.Lock()

    async def invite(self, names: Sequence[str]) -> None:
        """Enrol raters, or find those who are enrolled. Raises ``InputError`` for no name."""
        for name in dict.fromkeys(map(check_name, names)):
            self.invited.append(await self._enrol(name, token_urlsafe(16)))

    async def join(self, name: str) -> Rater:
        """Enrol a rater under a new name.

        Raises:
            InputError: it is no name, another rater has it, or there are ``MOST_RATERS``.
        """
        name, key = check_name(name), token_urlsafe(16)
        require_room(len(self._rankings.raters(self.row.id)))
        rater = await self._enrol(name, key)
        if rater.key != key:
            raise refuse_name(name)
        return rater

    def rater(self, key: str) -> Rater | None:
        """Return the rater with this key; None where no rater has it."""
        return self._rankings.rater(self.row.id, key)

    def places(self, rater: Rater) -> dict[ComparedItem, GivenPlaces]:
        """Return the places a rater gave that count: of each essay and aspect the last."""
        found: dict[ComparedItem, GivenPlaces] = {}
        for each in self._rankings.choices_of(rater.id):
            found.setdefault(each.item, {})[each.aspect, each.arm] = each.place
        return found

    async def enter(self, rater: Rater, sheet: Sheet, given: GivenPlaces) -> None:
        """Keep places durably, as far as they differ from those that count."""
        async with self._entering:  # what counts must not change between the look and the entry
            now = self.places(rater).get(sheet.item, {})
            order = sheet.order(rater)
            new = [
                RankingChoice(sheet.item, aspect, arm, place, order.index(arm) + 1, len(order))
                for (aspect, arm), place in given.items()
                if now.get((aspect, arm)) != place
            ]
            if new:
                await self._rankings.add_choices(rater.id, new)

    def count_missing(self, sheet: Sheet, places: Mapping[ComparedItem, GivenPlaces]) -> int:
        """Return how many places of a sheet are not yet given."""
        given = places.get(sheet.item, {})
        return sum((aspect, arm) not in given for aspect in ASPECTS for arm in sheet.essays)

    def are_finished(self, places: Mapping[ComparedItem, GivenPlaces]) -> list[bool]:
        """Return for each sheet whether all its places are given."""
        return [not self.count_missing(sheet, places) for sheet in self.sheets.sheets]

    async def _enrol(self, name: str, key: str) -> Rater:
        # Drawn: from a known seed one could work out whose essay is which.
        return await self._rankings.add_rater(self.row.id, name, key, randbits(62))


async def open_session(app: Starlette, plan: RatingPlan) -> None:
    """Begin a session on an application whose laboratory is open.

    Raises:
        InputError: there is no such run, or nothing in it to compare.
        StoreError: the store cannot be read or written.
    """
    lab = app.state.lab
    runs = RecordedRuns(lab, [plan.run])
    essays = (await asyncio.to_thread(read_essays, runs)).essays
    session = RatingSession(make_sheets(essays, runs.rows[0], plan), Rankings(lab.store))
    await session.invite(plan.raters)
    app.state.rating = session


def session_of(request: Request) -> RatingSession:
    """Return the session of the application that a request reached."""
    found: RatingSession = request.app.state.rating
    return found
