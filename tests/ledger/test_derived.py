"""Debates that follow from another: their records refer to it, and read as any other."""

import sqlite3
from contextlib import closing

import msgspec
import pytest

from moot.core.errors import DamagedError, MootError
from moot.core.events import Closed, Opened, Seat, Seated, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.ledger.checking import check
from moot.ledger.derived import refer
from moot.ledger.repairing import repair
from moot.ledger.store import Store
from moot.ledger.store_copy import StoreCopy
from moot.ledger.store_place import STORE_FILE

ASKED = Question(id="q", kind="number", text="2 + 2?", answer="4")
PLACE = ("d", "q", 0)


def hold(*answers, text="It is {}, as “two” and two are."):
    """A debate of two agents, one reply each in turn, decided by the last."""
    seats = [
        Seated(seat=Seat(number=number, agent=f"A{number}", role="mind", model="m"))
        for number in range(2)
    ]
    turns = [
        Turn(
            id=place,
            agent=f"A{place % 2}",
            seat=place % 2,
            role="mind",
            step="reply",
            round=(place + 1) // 2,
            model="m",
            call="",
            text=text.format(answer),
            answer=answer,
            reads=(),
        )
        for place, answer in enumerate(answers, 1)
    ]
    last = turns[-1]
    opened = Opened(question=ASKED, protocol="society", settings={"rounds": 2}, pack="", format=2)
    verdict = Verdict(answer=last.answer, text=last.text, by="last", turn=last.id)
    return Transcript((opened, *seats, *turns, Closed(verdict=verdict)))


def derive(base, kept, verdict, **changed):
    opened = msgspec.structs.replace(base.opened, **changed)
    events = [event for event in base.events[1:-1] if getattr(event, "id", 1) in kept]
    return Transcript((opened, *events, Closed(verdict=verdict)))


BASE = hold("4", "5", "4", "5")
VOTE = derive(
    BASE,
    {1, 2},
    Verdict(answer="4", text=BASE.turns[0].text, by="majority", turn=1, votes={"4": 1, "5": 1}),
    protocol="vote",
    settings={"rounds": 2},
)
RULE = derive(BASE, {1, 2, 3, 4}, Verdict(answer=None, by="no unanimity"), settings={"rule": "all"})


async def fill(store):
    run = store.begin_run("r-1", "r", b'{"name":"r","arms":[],"baseline":null}').id
    await store.save_debate(run, "debate", *PLACE, BASE, {"calls": 4})
    for arm, transcript in (("vote", VOTE), ("rule", RULE)):
        await store.save_debate(run, arm, *PLACE, transcript, {"calls": 2}, base=("debate", BASE))
    store.set_status(run, "done")
    await store.flush()
    return run


@pytest.mark.parametrize("derived", [VOTE, RULE], ids=["some turns", "all turns"])
def test_a_record_has_no_text_of_its_base(derived):
    record = refer(derived, "debate", BASE)
    assert b"as \xe2\x80\x9ctwo\xe2\x80\x9d" not in record
    assert b"2 + 2?" not in record
    assert len(record) < 300


def test_what_is_no_part_of_the_base_is_refused():
    other = hold("7", "8")
    with pytest.raises(MootError, match="arm 'debate' has an event of its own"):
        refer(Transcript((BASE.events[0], *other.events[1:])), "debate", BASE)


async def test_every_reader_sees_a_whole_transcript(open_store):
    async with open_store() as store:
        run = await fill(store)
        rows = {row.arm: row for row in store.debates(run)}
        assert {arm: row.transcript for arm, row in rows.items()} == {
            "debate": BASE,
            "vote": VOTE,
            "rule": RULE,
        }
        span = store.debate_values.find_span(run)
        stored = store.debate_values.read_span(run, span.first, span.last)
        numbers = [each.number for each in stored]
        assert stored == store.debate_values.read_rows(numbers)
        assert [each.transcript for each in stored if each.key[0] == "vote"] == [
            rows["vote"].encoded
        ]
        with store.open_reader() as reader:
            assert reader.transcript(run, ("vote", *PLACE)) == rows["vote"].encoded
            assert reader.transcript(run, ("none", *PLACE)) is None
            texts = reader.transcripts(numbers, most=1 << 20)
            assert sorted(texts.values()) == sorted(row.encoded for row in rows.values())
            heads = reader.transcripts(numbers, most=100)
            assert all(len(head) <= reader.HEAD for head in heads.values())
            assert reader.find_words(numbers, ["It is 4"]) == {*numbers}
            [rule] = [each.number for each in stored if each.key[0] == "rule"]
            assert reader.find_words(numbers, ["It is 4", "no unanimity"]) == {rule}
            found = reader.newest_transcripts([run], most=1 << 20)
            assert {*found} == {run}
            assert found[run] in {each.encoded for each in rows.values()}


async def test_a_copy_reads_as_the_source(open_store, tmp_path):
    async with open_store() as source, Store.open(tmp_path / "copy") as target:
        run = await fill(source)
        [count, _] = await StoreCopy(source, target, lambda _: None).copy()
        assert (count.debates, count.unlike) == (3, 0)
        copied = target.find_run("r-1").id
        assert [row.transcript for row in target.debates(copied)] == [
            row.transcript for row in source.debates(run)
        ]


async def test_without_its_base_a_debate_is_damaged_by_name(tmp_path):
    async with Store.open(tmp_path) as store:
        run = await fill(store)
        base = store.find_debates("r-1", arm="debate")
        assert len(base) == 1
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as connection:
        connection.execute("DELETE FROM debates WHERE arm = 'debate'")
        connection.commit()
    why = "the debate of arm 'debate', whose turns it has, is gone"
    async with Store.open(tmp_path, readonly=True) as store:
        with pytest.raises(DamagedError, match=rf"'q' of d, arm 'rule'.*{why}"):
            list(store.debates(run))
        with store.open_reader() as reader, pytest.raises(DamagedError, match=why):
            reader.transcript(run, ("vote", *PLACE))
    found = check(tmp_path / STORE_FILE)
    assert {each.kind for each in found.damage} == {"debate", "missing"} or found.damaged["debate"]
    assert [each.why for each in found.damage if each.kind == "debate"] == [
        f"{what}: {why}"
        for arm in ("vote", "rule")
        for what in [f"the transcript of question 'q' of d, arm '{arm}', replicate = 0"]
    ]


async def test_a_repair_sets_aside_what_has_lost_its_base(tmp_path):
    async with Store.open(tmp_path) as store:
        run = await fill(store)
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as connection:
        connection.execute("UPDATE debates SET transcript = X'00' WHERE arm = 'debate'")
        connection.commit()
    assert repair(tmp_path / STORE_FILE).set_aside == {"debate": 3}
    assert not check(tmp_path / STORE_FILE).damage
    async with Store.open(tmp_path, readonly=True) as store:
        assert list(store.debates(run)) == []


WRONG = [
    (b'{"base":"rule","kept":null,"opened":{},"end":{}}', "is derived itself"),
    (b'{"base":"debate","kept":[99],"opened":{},"end":{}}', "an event of the base is not there"),
    (b'{"base":7}', "it cannot be read"),
    (
        b'{"base":"debate","kept":null,"opened":{},"end":{"verdict":{"turn":77}}}',
        "the deciding turn is not there",
    ),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG, ids=[why for _, why in WRONG])
async def test_a_damaged_reference_is_named(tmp_path, wrong, why):
    async with Store.open(tmp_path) as store:
        run = await fill(store)
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as connection:
        change = "UPDATE debates SET transcript = ?, transcript_digest = NULL WHERE arm = 'vote'"
        connection.execute(change, (wrong,))
        connection.commit()
    async with Store.open(tmp_path, readonly=True) as store:
        with pytest.raises(DamagedError, match=why):
            list(store.debates(run, "vote"))
        with store.open_reader() as reader:
            assert reader.find_words([2], ["It is 4"]) == set()
