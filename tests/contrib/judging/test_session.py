"""Who takes part, which pair is next, in which order its answers stand, and what is kept."""

import asyncio

import pytest

from contrib.judging.conftest import choose, fill, rows
from moot import InputError
from moot.contrib.judging.pairs import PairPlan
from moot.contrib.judging.session import JudgingSession, find_settled
from moot.ledger.checking import check
from moot.ledger.store_place import STORE_FILE
from moot.studies.lab import open_lab


def gold(first, second):
    return "1" if first.startswith("gold") else "2"


async def test_a_scripted_rater_is_understood(judged):
    async with judged(rows(24)) as session:
        rater = await session.enrol("me")
        await choose(session, rater, gold)
        result = session.result()
        [own] = result.raters
        assert (own.class_, own.won, own.lost, own.questions) == ("better", 24, 0, 24)
        assert find_settled(result) == own
        assert own.settled_at < 24
        assert 0.25 <= own.first.estimate <= 0.75  # shown first in half of them


async def test_the_order_is_balanced_differs_between_raters_and_is_kept(judged):
    async with judged(rows(40)) as session:
        orders, ids = [], set()
        for name in range(30):
            rater = await session.enrol(f"rater {name}")
            shown = [session._show(rater, place, 0) for place in range(40)]
            order = [each.first for each in shown]
            for block in range(0, 40, 4):
                assert order[block : block + 4].count("council") == 2
            orders.append(order)
            ids |= {each.id for each in shown}
            assert [session._show(rater, place, 9).id for place in range(40)] == [
                each.id for each in shown
            ]
        assert len(ids) == 30 * 40
        for place in range(40):
            assert 5 <= sum(order[place] == "council" for order in orders) <= 25
        assert len({tuple(order) for order in orders}) == 30


async def test_undo_goes_back_one_by_one_and_nothing_is_lost(judged):
    async with judged(rows(3)) as session:
        rater = await session.enrol("me")
        seen = [session.next(rater)]
        for key in ("1", "s"):
            assert await session.enter(rater, key, seen[-1].id)
            seen.append(session.next(rater))
        assert [each.number for each in seen] == [1, 2, 3]
        for back in (seen[1], seen[0], seen[0]):
            assert await session.enter(rater, "u", session.next(rater).id)
            assert session.next(rater).id == back.id
        entered = [each.choice for _, each in session.entries()]
        first = seen[0].first
        assert entered == [first, "skip", "undo", "undo"]
        assert await session.enter(rater, "2", seen[0].id)
        assert session.entries()[-1][1].choice != first


async def test_a_choice_of_a_pair_that_is_not_next_is_not_kept(judged):
    async with judged(rows(2)) as session:
        rater = await session.enrol("me")
        shown = session.next(rater)
        assert await session.enter(rater, "1", shown.id)
        assert not await session.enter(rater, "1", shown.id)
        assert not await session.enter(rater, "u", shown.id)
        assert not await session.enter(rater, "2", "")
        assert len(session.entries()) == 1
        assert await session.enter(rater, "0", session.next(rater).id)
        assert session.next(rater) is None
        assert await session.enter(rater, "u", "")
        assert session.next(rater).number == 2


async def test_it_goes_on_where_it_was(tmp_path):
    run = await fill(tmp_path, rows(8))
    async with open_lab(tmp_path / "store") as lab:
        session = await JudgingSession.open(lab, PairPlan(run))
        rater = await session.enrol("Ann")
        for _ in range(3):
            await session.enter(rater, "1", session.next(rater).id)
        waiting = session.next(rater)
    async with open_lab(tmp_path / "store") as lab:
        session = await JudgingSession.open(lab, PairPlan(run))
        again = await session.enrol("Ann")
        assert (again, session.next(again)) == (rater, waiting)
        assert (await session.enrol("Bo")).seed != again.seed
        assert session.rater(again.key) == again
        assert session.rater("other") is None
        other = await JudgingSession.open(lab, PairPlan(run, solo="solo"))
        assert other.next(again).number == 1  # another comparison has choices of its own


async def test_names(judged):
    async with judged(rows(1)) as session:
        await session.join("Ann")
        for name, told in (("Ann", "'Ann' already"), ("", "1 to 60"), ("x" * 61, "1 to 60")):
            with pytest.raises(InputError, match=told):
                await session.join(name)


def test_choices_go_along_with_a_copy_of_the_store(tmp_path, moot):
    run = asyncio.run(fill(tmp_path, rows(4)))

    async def enter(folder, *keys):
        async with open_lab(folder, readonly=not keys) as lab:
            session = await JudgingSession.open(lab, PairPlan(run))
            for key in keys:
                rater = await session.enrol("Ann")
                await session.enter(rater, key, session.next(rater).id)
            return session.entries()

    entries = asyncio.run(enter(tmp_path / "store", "1", "0"))
    assert len(entries) == 2
    code, _, err = moot("store", "copy", str(tmp_path / "store"), str(tmp_path / "other"))
    assert code == 0, err
    assert check(tmp_path / "other" / STORE_FILE).records["choice of a pair"] == 2
    assert asyncio.run(enter(tmp_path / "other")) == entries
