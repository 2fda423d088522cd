"""Measuring recorded debates again: what changes, what stays, and what was withheld."""

import sqlite3

import msgspec
import pytest
from msgspec.structs import replace

import moot
from moot.core.errors import InputError, StoreError, UnknownName
from moot.core.events import Closed, Failed, Opened, Transcript, Turn, Verdict
from moot.core.questions import WITHHELD, Question
from moot.core.redaction import redact
from moot.ledger.stored_records import decode_values
from moot.metrics.metric import measure, registry
from moot.studies.lab import open_lab
from moot.studies.measured_record import replace_withheld
from moot.studies.measuring import GROUP, MetricChange, measure_again
from support.debates import hold
from support.sums import sums

ARMS = [{"protocol": "single"}, {"protocol": "society-of-minds"}]
STUDY = sums("trial", "simulated/people?accuracy=0.5", 6, ARMS)


@pytest.fixture
async def run(tmp_path):
    key = (await moot.run(STUDY, store=tmp_path)).run
    await again(tmp_path, key)  # all metrics, and not those alone that its end shows
    return key


@pytest.fixture
async def long(tmp_path):
    """A run of more debates than one group has."""
    questions = [{"name": "arithmetic", "difficulty": 2, "n": GROUP // 2 + 20}]
    key = (await moot.run(STUDY | {"name": "long", "datasets": questions}, store=tmp_path)).run
    await again(tmp_path, key, processes=1)
    return key


@pytest.fixture
def brought():
    """Registers metrics for one test, as a plug-in would."""
    added = []

    def bring(function, **how):
        added.append(moot.metric(**{"unit": "share", "range": (0, None)} | how)(function).name)

    yield bring
    for name in added:
        del registry._found[name]
    registry._sorted = None


def stored(folder):
    with sqlite3.connect(folder / "moot.db") as file:
        query = "SELECT arm, question, metrics FROM debates"
        found = {row[:2]: decode_values(row[2], None, "it") for row in file.execute(query)}
    file.close()
    return found


def alter(folder, change):
    """Put other values into the store, by hand."""
    with sqlite3.connect(folder / "moot.db") as file:
        for number, metrics in file.execute("SELECT id, metrics FROM debates").fetchall():
            values = msgspec.json.encode(change(decode_values(metrics, None, "it")))
            file.execute(
                "UPDATE debates SET metrics = ?, values_digest = NULL WHERE id = ?",
                (values, number),
            )
    file.close()


async def again(folder, run="trial", **how):
    async with open_lab(folder, readonly=how.get("dry", False)) as lab:
        return await measure_again(lab, run, **how)


@pytest.mark.parametrize("processes", [1, 2])
async def test_values_are_added_and_corrected_by_any_number_of_processes(tmp_path, long, processes):
    right, many = stored(tmp_path), GROUP + 40

    def damage(values):
        values = {**values, "calls": values["calls"] + 1}
        del values["seconds"]
        return values

    alter(tmp_path, damage)
    dry = await again(tmp_path, "long", dry=True, processes=processes)
    assert (dry.debates, dry.changed, dry.written) == (many, many, 0)
    assert stored(tmp_path) != right
    done = await again(tmp_path, "long", processes=processes)
    expected = {"calls": MetricChange(changed=many), "seconds": MetricChange(added=many)}
    assert done.values == dry.values == expected
    assert (done.written, stored(tmp_path)) == (many, right)


async def test_other_runs_between_its_debates_are_let_be(tmp_path, run):
    other = (await moot.run(STUDY | {"name": "other", "replicates": 2}, store=tmp_path)).run
    await moot.run(STUDY, store=tmp_path)  # again: its debates lie behind the other's now
    alter(tmp_path, lambda _: {})
    found = await again(tmp_path, other)
    assert (found.debates, found.written) == (24, 24)
    async with open_lab(tmp_path, readonly=True) as lab:
        for key, known in ((run, [False] * 12), (other, [True] * 24)):
            rows = lab.store.values(lab.store.find_run(key).id)
            assert [bool(row.values) for row in rows] == known


async def test_a_value_of_a_metric_that_is_not_here_stays_and_one_unknown_now_is_lost(
    tmp_path, run
):
    before = stored(tmp_path)
    found = await again(tmp_path)
    assert (found.run, found.debates, found.changed, found.written) == (run, 12, 0, 0)
    assert (found.values, found.kept, found.withheld) == ({}, {}, 0)
    assert stored(tmp_path) == before
    alter(tmp_path, lambda values: {**values, "elsewhere": 2.5, "calls": 9.0, "sweeps": 3.0})
    found = await again(tmp_path)
    assert found.kept == {"elsewhere": 12}
    assert found.values == {"calls": MetricChange(changed=12), "sweeps": MetricChange(lost=12)}
    assert {values["elsewhere"] for values in stored(tmp_path).values()} == {2.5}


async def test_secret_questions_keep_what_their_texts_were_needed_for(tmp_path, brought):
    given = {"text": "What is it?", "choices": ("a", "b"), "answer": "B", "secret": True}
    question = Question(id="s", kind="choice", **given)

    def letters(transcript):
        """Letters said."""
        return sum(len(turn.text) for turn in transcript.turns)

    def alike(transcript):
        """1 where all said the same."""
        return float(len({turn.text for turn in transcript.turns}) == 1)

    def later(transcript):
        """Letters of the question; added when it was no longer known."""
        return len(transcript.question.text)

    brought(letters, unit="letters")
    brought(alike)
    said = ["It is (B).", "I say (A).", "(B) it is"]
    model = moot.Scripted(said, name="says")
    async with open_lab(tmp_path) as lab:
        content = msgspec.json.encode({"name": "s", "arms": [], "baseline": None})
        row = lab.store.begin_run("s-1", "s", content)
        lab.store.run = row.id
        asked = {"question": question, "path": lab.path, "samples": 3}
        transcript = await hold("self-consistency", model, lab.store, **asked)
        values = measure(transcript)
        assert (values["letters"], values["alike"]) == (sum(map(len, said)), 0.0)
        await lab.store.save_debate(row.id, "x", "d", "s", 0, transcript, values | {"calls": 8.0})
    brought(later, unit="letters")
    found = await again(tmp_path, "s")
    assert found.values == {"calls": MetricChange(changed=1)}
    assert found.withheld == 2
    kept = stored(tmp_path)["x", "s"]
    assert (kept["letters"], kept["alike"]) == (sum(map(len, said)), 0.0)
    assert (kept["calls"], kept["later"], kept["characters-per-reply"]) == (3.0, None, None)


async def test_a_metric_that_fails_is_named_with_the_question(tmp_path, run, brought):
    def broken(transcript):
        """It divides by nothing."""
        return 1 / 0

    brought(broken)
    with pytest.raises(InputError, match=r"arithmetic-1-0-\d': metric 'broken' fails: ZeroDiv"):
        await again(tmp_path)


async def test_a_metric_of_this_process_alone_is_refused_by_several(tmp_path, long, brought):
    def mine(transcript):
        """It is nowhere else."""
        return 1.0

    brought(mine)
    with pytest.raises(InputError, match="'mine' is registered in one process alone"):
        await again(tmp_path, "long", processes=2)
    one = await again(tmp_path, "long", processes=1)
    assert one.values == {"mine": MetricChange(added=GROUP + 40)}


async def test_what_cannot_be_is_refused(tmp_path, run):
    with pytest.raises(InputError, match="processes = 0"):
        await again(tmp_path, processes=0)
    with pytest.raises(UnknownName, match="trail"):
        await again(tmp_path, "trail")
    alter(tmp_path, lambda _: {})
    async with open_lab(tmp_path, readonly=True) as lab:
        with pytest.raises(StoreError, match="for reading only"):
            await measure_again(lab, run)


GIVEN = {"text": "What?", "context": "Here.", "choices": ("one", "two"), "answer": "B"}
SECRET = Question(id="s", kind="choice", secret=True, **GIVEN)


def turn(number, text, answer):
    fixed = {"role": "debater", "step": "speak", "round": 1, "model": "m", "reads": ()}
    fixed["call"] = "00"
    return Turn(id=number, agent=f"Agent {number}", seat=number, text=text, answer=answer, **fixed)


def transcript(end, question=SECRET, answers=("B", "A"), **given):
    opened = Opened(question=question, protocol="single", settings={}, pack="p", **given)
    turns = (turn(n, f"It is {said}", said) for n, said in enumerate(answers, 1))
    return redact(Transcript((opened, *turns, end)))


def test_every_withheld_text_is_replaced_and_no_two_are_the_same():
    shown = transcript(Closed(verdict=Verdict(answer="B", text="It is two")))
    said = replace_withheld(shown)
    assert redact(said) == shown
    question = said.question
    texts = [question.text, *question.choices, *(each.text for each in said.turns)]
    assert WITHHELD not in repr(said)
    assert len({*texts, said.verdict.text}) == len(texts) + 1
    assert measure(said) == measure(shown)  # none of moot's own depends on them
    failed = transcript(Failed(kind="X", reason="so it is"))
    assert replace_withheld(failed).failed == failed.failed
    silent = transcript(Closed(verdict=Verdict(answer="B")))
    assert replace_withheld(silent).verdict == silent.verdict


@pytest.mark.parametrize("right", [None, "Two", ("Two", "2")])
def test_of_open_text_the_answers_are_withheld_too(right):
    question = replace(SECRET, kind="text", choices=(), answer=right)
    verdict = Verdict(answer="Two", text="It is Two", votes={"Two": 2, "One": 1})
    shown = transcript(Closed(verdict=verdict), question, ("Two", "One", None), opening=("One",))
    for word in ("Two", "One", "What?", "Here."):
        assert word not in repr(shown)
    assert [each.answer for each in shown.turns] == [WITHHELD, WITHHELD, None]
    assert [*shown.verdict.votes.values()] == [2, 1]
    assert len(shown.question.answers) == len(question.answers)
    said = replace_withheld(shown)
    assert redact(said) == redact(shown) == shown
    assert said.turns[0].answer != said.turns[1].answer
    assert said.turns[2].answer is None
    differ = {name for name, value in measure(shown).items() if value != measure(said)[name]}
    assert ("accuracy" in differ) is bool(right)  # what is told by words alone stays as it was
    assert "consensus" in differ
