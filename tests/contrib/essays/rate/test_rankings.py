import asyncio

import pytest

from moot.contrib.essays.rate.rankings import ComparedItem, RankingChoice, Rankings
from moot.core.errors import StoreError


def choice(place, *, arm="a"):
    return RankingChoice(ComparedItem("d", "q", 0), "quality", arm, place, shown=1, essays=2)


async def test_every_place_is_kept_in_the_order_it_was_entered(open_store):
    async with open_store() as store:
        run = store.begin_run("r-1", "r", b"{}").id
        kept = Rankings(store)
        ann = await kept.add_rater(run, "Ann", "key-a", 7)
        bo = await kept.add_rater(run, "Bo", "key-b", 7)
        first = await kept.add_choices(ann.id, [choice(1), choice(2, arm="b")])
        await kept.add_choices(bo.id, [choice(2)])
        second = await kept.add_choices(ann.id, [choice(2)])
        assert first <= second
    async with open_store(readonly=True) as store:
        kept = Rankings(store)
        assert kept.choices_of(ann.id) == [choice(1), choice(2, arm="b"), choice(2)]
        places = [(each.rater, each.choice.place) for each in kept.choices_about(run)]
        assert places == [("Ann", 1), ("Ann", 2), ("Bo", 2), ("Ann", 2)]
        assert [each.created for each in kept.choices_about(run)][::3] == [first, second]
        assert kept.raters(run) == [ann, bo]
        with pytest.raises(StoreError, match="reading only"):
            await kept.add_choices(ann.id, [choice(1)])


async def test_a_name_has_one_key_in_a_run_whoever_is_first(open_store):
    async with open_store() as one, open_store() as other:
        run, next_run = (one.begin_run(f"r-{n}", "r", b"{}").id for n in (1, 2))
        both = await asyncio.gather(
            Rankings(one).add_rater(run, "Ann", "x", 1),
            Rankings(other).add_rater(run, "Ann", "y", 2),
        )
        assert both[0] == both[1]
        assert Rankings(one).rater(run, both[0].key) == both[0]
        assert Rankings(one).rater(next_run, both[0].key) is None
        assert Rankings(one).rater(run, "no \ud800 key") is None
        assert (await Rankings(other).add_rater(next_run, "Ann", "z", 3)).key == "z"


async def test_choices_that_cannot_all_be_kept_are_not_kept_at_all(open_store):
    async with open_store() as store:
        run = store.begin_run("r-1", "r", b"{}").id
        ann = await Rankings(store).add_rater(run, "Ann", "k", 0)
        with pytest.raises(StoreError, match=r"(?i)not.null"):
            await Rankings(store).add_choices(ann.id, [choice(1), choice(None)])
        assert Rankings(store).choices_of(ann.id) == []
        await Rankings(store).add_choices(ann.id, [choice(1)])
        assert Rankings(store).choices_of(ann.id) == [choice(1)]
