import asyncio
import sqlite3
from contextlib import closing

import msgspec
import pytest

from moot.contrib.essays.rate.rankings import PART, ComparedItem, RankingChoice, Rankings
from moot.core.errors import StoreError
from moot.core.stored import StudyRow
from moot.ledger.checking import check
from moot.ledger.repairing import repair
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE


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


RATER, RANKING = (each.columns for each in PART.tables.values())
SECOND = ") VALUES (1, 2.5, 'd', 'q', 0, 'quality', 'a', 1, 1, 2)"
AS_BEFORE = (
    *(each.replace(" IF NOT EXISTS", "") for each in PART.changes[0].statements),
    f"INSERT INTO raters ({', '.join(RATER)}) VALUES (1, 'Ann', 'k', 7, 1.5)",
    (
        f"INSERT INTO rankings ({', '.join(RANKING)}) "
        "VALUES (1, 2, 'd', 'q', 0, 'quality', 'a', 1, 1, 2)"
    ),
    "DROP TABLE part_changes",
    "DELETE FROM schema WHERE version = (SELECT MAX(version) FROM schema)",
)
"""What a store had before parts had tables of their own."""


async def test_the_tables_of_an_older_store_are_taken_over(open_store):
    async with open_store() as store:
        store.begin_run("r-1", "r", b"{}")

        def go_back(connection):
            for statement in AS_BEFORE:
                connection.execute(store.database.translate(statement))
            if not isinstance(store.file, str):
                connection.execute("PRAGMA user_version = 9")

        await store.change(go_back)
    async with open_store(readonly=True) as store:
        assert Rankings(store).choices_of(1) == [choice(1)]
        assert not store.has_table("part_changes")
    async with open_store() as store:
        kept = Rankings(store)
        [ann] = kept.raters(1)
        await kept.add_choices(ann.id, [choice(2)])
        assert [each.choice for each in kept.choices_about(1)] == [choice(1), choice(2)]
        assert store.query("SELECT part, version FROM part_changes") == [("essays", 1)]


async def test_a_store_in_which_nobody_ranks_has_no_tables_for_it(open_store):
    async with open_store() as store:
        assert Rankings(store).raters(1) == Rankings(store).choices_about(1) == []
        assert not store.has_table("raters")


async def test_tables_of_a_newer_moot_are_refused(open_store):
    async with open_store() as store:
        await store.extend(PART)
        newer = "INSERT INTO part_changes VALUES ('essays', 2, '7.7')"
        await store.change(lambda connection: connection.execute(newer))
    async with open_store() as store:
        with pytest.raises(StoreError, match=r"tables of essays are newer .* need 7\.7"):
            await Rankings(store).add_rater(1, "Ann", "k", 0)


async def rate(folder):
    """Make a store with two choices of one rater."""
    async with Store.open(folder) as store:
        run = store.begin_run(
            "r-1", "r", msgspec.json.encode(StudyRow(name="r", arms=(), baseline=None))
        ).id
        store.set_status(run, "done")
        ann = await Rankings(store).add_rater(run, "Ann", "k", 0)
        await Rankings(store).add_choices(ann.id, [choice(1), choice(2, arm="b")])


async def test_a_damaged_choice_is_found_and_set_aside(tmp_path):
    await rate(tmp_path)
    file = tmp_path / STORE_FILE
    records = {"run": 1, "reply": 0, "debate": 0, "rater": 1, "ranking": 2}
    records |= {"rater of pairs": 0, "choice of a pair": 0}  # of another part
    assert check(file).records == records
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE rankings SET place = 'first' WHERE id = 2")
    assert [(each.kind, each.number) for each in check(file).damage] == [("ranking", 2)]
    assert repair(file).set_aside == {"ranking": 1}
    assert check(file).damage == ()


async def test_choices_are_read_out_of_a_broken_file(tmp_path):
    await rate(tmp_path)
    file = tmp_path / STORE_FILE
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'rankings_by_rater'"
        ).fetchone()
    content = bytearray(file.read_bytes())
    content[(page - 1) * 8192 : page * 8192] = bytes(8192)
    file.write_bytes(content)
    assert repair(file).rebuilt
    async with Store.open(tmp_path) as store:
        assert Rankings(store).choices_of(1) == [choice(1), choice(2, arm="b")]


async def test_a_loss_of_choices_is_noticed(tmp_path):
    await rate(tmp_path)
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as connection, connection:
        connection.execute("DELETE FROM rankings WHERE id = 2")
    with pytest.raises(StoreError, match="has lost the newest ranking"):
        Store.open(tmp_path)
