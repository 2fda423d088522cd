"""A log becomes a run: its figures, its arms, and nothing where a file is damaged."""

import json
from collections import Counter

import pytest

from moot import InputError, extract
from moot.analyses.analysis import registry as analyses
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.core.stored import decode_study
from moot.parsing.same import is_correct
from moot.reports.renderings import RENDERINGS
from moot.studies.lab import open_lab


@pytest.fixture
async def lab(tmp_path):
    async with open_lab(tmp_path / "store") as opened:
        yield opened


async def take(lab, path, **given):
    log = Log(path)
    return await import_log(lab, log, find_format(log), **given)


def logged(number=1, answers=("4", "5", "4", "4", "5", "4"), **more):
    """A debate of three agents in two rounds, in the open format."""
    return {
        "format": "debate-log/1",
        "id": f"q{number}",
        "question": {"text": f"{number} + {4 - number}?", "answer": "4"},
        "agents": [{"name": name} for name in "ABC"],
        "turns": [
            {"agent": "ABC"[place % 3], "round": place // 3 + 1, "text": f"The answer is {each}."}
            for place, each in enumerate(answers)
        ],
        "dataset": "sums",
        **more,
    }


def means(lab, run):
    runs = RecordedRuns(lab, [run], arms=["*"])
    return {arm.arm: arm.accuracy.mean for arm in runs.joined.arms}


async def test_a_real_log_gives_the_figures_that_its_texts_give(lab, shared):
    folder = shared("society-gsm8k-gpt35")
    found = await take(lab, folder)
    rows = list(lab.store.debates(lab.store.find_run(found.run).id, "debate"))
    asked = {row.transcript.question.text: row.transcript.question for row in rows}
    raw = json.loads((folder / "gsm_3_2_100.json").read_text())
    right = Counter()
    for text, (contexts, _) in raw.items():
        said = [[extract(each["content"], asked[text]) for each in own[1::2]] for own in contexts]
        for what, answers in {
            "first reply": [said[0][0]],
            "vote of round 1": [own[0] for own in said],
            "debate": [own[1] for own in said],
        }.items():
            given = Counter(answer for answer in answers if answer is not None)
            best = max(given, key=given.__getitem__, default=None)
            right[what] += is_correct(best, asked[text])
    shown = {arm: mean for arm, mean in means(lab, found.run).items() if " by " not in arm}
    assert shown == {what: number / 100 for what, number in right.items()}
    assert shown == {"first reply": 0.74, "vote of round 1": 0.81, "debate": 0.79}
    assert (found.questions, found.debates, found.turns) == (100, 100, 600)


async def test_every_analysis_that_applies_names_the_source(lab, tmp_path, write):
    path = write([logged(number) for number in range(1, 13)], "sums.jsonl")
    found = await take(lab, path)
    runs = RecordedRuns(lab, [found.run])
    made = {}
    for each in analyses:
        try:
            made[each.name] = each.apply(runs, {})
        except InputError:  # nothing to analyse
            continue
    assert {"accuracy", "ceiling", "decisions", "rounds", "configurations"} <= made.keys()
    for name, report in made.items():
        text = RENDERINGS["markdown"].text(report)
        assert "recorded elsewhere: sums.jsonl" in text.lower(), name
        assert "SIMULATED" not in text


async def test_tokens_prices_and_times_are_unknown(lab, write):
    found = await take(lab, write([logged(1)], "sums.jsonl"))
    for arm in RecordedRuns(lab, [found.run]).joined.arms:
        assert arm.tokens is arm.cost.mean is arm.seconds.mean is None


async def test_those_that_are_stated_are_summed(lab, write):
    turns = [each | {"prompt_tokens": 3, "completion_tokens": 2} for each in logged()["turns"]]
    turns = [each | {"cost": 0.5, "seconds": 2.0} for each in turns]
    found = await take(lab, write([logged(turns=turns)], "sums.jsonl"))
    [*_, debate] = RecordedRuns(lab, [found.run]).joined.arms
    assert (debate.tokens, debate.cost.mean, debate.seconds.mean) == (30.0, 3.0, 2.0)


async def test_the_same_log_is_the_same_run(lab, write):
    path = write([logged(1), logged(2)], "sums.jsonl")
    one, two = await take(lab, path), await take(lab, path)
    assert (one.run, one.is_known, two.run, two.is_known) == (two.run, False, one.run, True)
    assert one.arms == two.arms
    assert len(lab.store.runs()) == 1
    other = await take(lab, write([logged(1), logged(3)], "sums.jsonl"))
    assert other.run != one.run
    assert (await take(lab, path, kind="text")).run not in {one.run, other.run}


async def test_a_damaged_file_leaves_no_run(lab, tmp_path):
    lines = [json.dumps(logged(number)) for number in range(1, 40)]
    path = tmp_path / "sums.jsonl"
    path.write_text("\n".join([*lines, lines[0][:200]]))
    with pytest.raises(InputError, match=r"sums\.jsonl, line 40"):
        await take(lab, path)
    assert lab.store.runs() == []


async def test_an_import_that_was_stopped_goes_on(lab, write, monkeypatch):
    path = write([logged(number) for number in range(1, 9)], "sums.jsonl")
    held = lab.save_debate

    async def fail(run, key, *more, **given):
        if key[2] == "q5":
            raise OSError("the disk is full")
        await held(run, key, *more, **given)

    monkeypatch.setattr(lab, "save_debate", fail)
    with pytest.raises(OSError, match="full"):
        await take(lab, path)
    await lab.store.flush()
    [row] = lab.store.runs()
    assert row.status == "stopped"
    monkeypatch.undo()
    found = await take(lab, path)
    [row] = lab.store.runs()
    assert (row.key, row.status, found.is_known) == (found.run, "done", False)
    assert len(list(lab.store.values(row.id))) == 8 * len(found.arms)


async def test_what_cannot_be_read_is_counted_and_named(lab, write):
    wrong = [{"format": "debate-log/1", "id": 7}, logged(3, agents=[{"name": "A"}])]
    odd = logged(4, question={"text": "Odd?", "kind": "number", "answer": "quite a few"})
    found = await take(lab, write([logged(1), *wrong, logged(2), odd], "sums.jsonl"))
    assert found.unread_parts == 2
    assert [each.place for each in found.unread] == ["sums.jsonl, line 2", "sums.jsonl, line 3"]
    assert "'B'" in found.unread[1].why
    assert (found.odd_answers, found.unanswered) == (1, 1)
    assert found.odd[0].why == "'quite a few' is no answer of kind 'number'"


async def test_a_log_without_a_debate_is_refused(lab, write):
    with pytest.raises(InputError, match=r"could be read\n.*line 1: is no debate-log"):
        await take(lab, write([{"format": "debate-log/1", "id": 7}], "sums.jsonl"))
    assert lab.store.runs() == []


async def test_a_question_debated_again_is_a_further_replicate(lab, write):
    found = await take(lab, write([logged(1), logged(1), logged(1, replicate=4)], "sums.jsonl"))
    assert found.repeated == 1
    rows = lab.store.find_debates(found.run, arm="debate")
    assert [row.replicate for row in rows] == [0, 1, 4]


async def test_methods_of_one_log_are_arms(lab, write):
    two = [logged(number, settings={"rounds": 2}) for number in (1, 2)]
    one = [logged(number, ("4", "5", "4"), settings={"rounds": 1}) for number in (1, 2)]
    more = [logged(number, settings={"rounds": 2, "mood": "calm"}) for number in (1, 2)]
    found = await take(lab, write([*two, *one, *more], "sums.jsonl"))
    study = decode_study(lab.store.find_run(found.run))
    shown = [arm.name for arm in study.arms if arm.kind != "rule"]
    assert shown == [
        *("first reply (rounds=2)", "vote of round 1 (rounds=2)", "debate (rounds=2)"),
        *("first reply (rounds=1)", "vote (rounds=1)"),
        "first reply (rounds=2, mood=calm)",
        "vote of round 1 (rounds=2, mood=calm)",
        "debate (rounds=2, mood=calm)",
    ]
    assert len({*found.arms}) == len(found.arms)
    by_arm = {arm.arm: arm.baseline for arm in RecordedRuns(lab, [found.run]).joined.arms}
    assert by_arm["debate (rounds=2, mood=calm)"] == "vote of round 1 (rounds=2, mood=calm)"


async def test_settings_of_each_debate_are_no_methods(lab, write):
    lines = [logged(number, settings={"seed": number}) for number in range(1, 20)]
    found = await take(lab, write(lines, "sums.jsonl"))
    assert found.arms[:3] == ("first reply", "vote of round 1", "debate")


async def test_texts_are_not_stored_twice(lab, write):
    marked = logged(
        1, turns=[each | {"text": f"{each['text']} {'xyzzy ' * 40}"} for each in logged(1)["turns"]]
    )
    found = await take(lab, write([marked], "sums.jsonl"))
    query = "SELECT arm, LENGTH(transcript) FROM debates"
    sizes = dict(lab.store.query(query))
    assert len(sizes) == len(found.arms)
    assert max(size for arm, size in sizes.items() if arm != "debate") < 500


async def test_of_many_methods_what_has_most_values_tells_none_apart(lab, write):
    lines = [
        logged(
            1, ("4", "5", "4")[: 3 * rounds] * rounds, settings={"file": f"f{n}", "rounds": rounds}
        )
        for n in range(9)
        for rounds in (1, 2)
    ]
    found = await take(lab, write(lines, "sums.jsonl"))
    assert found.merged == ("file",)
    assert found.repeated == 16
    shown = [arm for arm in found.arms if arm not in found.rules]
    assert shown == [
        *("first reply (rounds=1)", "vote (rounds=1)"),
        *("first reply (rounds=2)", "vote of round 1 (rounds=2)", "debate (rounds=2)"),
    ]
