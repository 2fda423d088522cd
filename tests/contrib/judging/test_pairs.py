"""The pairs of a run: which arms, which questions, and what the method changed and took."""

from statistics import fmean

import pytest

from contrib.judging.conftest import council, rows
from moot import InputError, RecordedRuns, UnknownName
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.contrib.judging.pairs import PairPlan, describe_left_out, read_pairs
from moot.studies.lab import open_lab
from support import stored_runs


async def test_a_history_of_a_council(tmp_path):
    log = Log(council(3, tmp_path / "x.json"))
    async with open_lab(tmp_path / "store") as lab:
        run = (await import_log(lab, log, find_format(log))).run
        found = read_pairs(RecordedRuns(lab, [run]), PairPlan(run))
        assert sorted((each.question, each.solo, each.council) for each in found.pairs) == [
            (f"Question {k}?", f"ann says {k}", f"All in all, {k}.") for k in range(3)
        ]
        assert found.council == "council"
        bob = read_pairs(RecordedRuns(lab, [run]), PairPlan(run, solo="m/bob"))
        assert {each.solo[:3] for each in bob.pairs} == {"bob"}
        assert (bob.match.solo, bob.match.council) == ("member m/bob", "debate")
        # "ann says 1", "bob says 1", "1. Response B", "All in all, 1." against "ann says 1"
        assert found.effect.words == {"solo": 3, "council": 3 + 3 + 3 + 4}
        assert found.effect.answer_words == {"solo": 3, "council": 4}
        assert (found.effect.tokens, found.effect.cost) == (None, None)
        with pytest.raises(UnknownName, match=r"unknown member 'm/chair'.*m/ann, m/bob"):
            read_pairs(RecordedRuns(lab, [run]), PairPlan(run, solo="m/chair"))


async def test_what_is_not_judged_is_counted(judged):
    pairs = [*rows(6), {"question": "alike", "solo": " same", "council": "same\n"}, *rows(2)]
    async with judged(pairs, sample=4) as session:
        found = session.pairs
        assert (len(found.pairs), found.repeated, found.effect.alike) == (4, 2, 1)
        assert describe_left_out(found) == (
            "1 with the same text on both sides, 2 equal to another, 2 not drawn"
        )
    async with judged(pairs) as session:
        assert [each.key for each in session.pairs.pairs][:4] == [each.key for each in found.pairs]
    async with judged(pairs, seed=1) as session:
        assert session.pairs.pairs[:4] != found.pairs


async def test_short_answers_of_pairs_are_compared(judged):
    pairs = [
        {"question": "a", "solo": "Paris", "council": "paris."},
        {"question": "b", "solo": "Lyon", "council": "Paris"},
        {"question": "c", "solo": "Lyon", "council": "It is Paris, as all of us say."},
    ]
    async with judged(pairs) as session:
        effect = session.pairs.effect
        assert (effect.changed.mean, effect.changed.questions) == (0.5, 2)
        assert effect.words is None  # of pairs only the answers are known


async def test_a_run_of_moot_is_recounted(tmp_path):
    run = (await stored_runs.run(tmp_path)).run
    async with open_lab(tmp_path, readonly=True) as lab:
        runs = RecordedRuns(lab, [run])
        found = read_pairs(runs, PairPlan(run))
        held = {}
        for each in runs.debates():
            held.setdefault(each.question, {})[each.arm] = each.transcript
        both = [one for one in held.values() if all(each.verdict for each in one.values())]
        assert found.effect.questions == len(both) == 12
        for side, arm in (("solo", "single"), ("council", "minds")):
            spent = [
                sum(turn.prompt_tokens + turn.completion_tokens for turn in one[arm].turns)
                for one in both
            ]
            assert found.effect.tokens[side] == pytest.approx(fmean(spent))
        answers = [(one["single"].verdict.answer, one["minds"].verdict.answer) for one in both]
        read = [(int(a), int(b)) for a, b in answers if a is not None and b is not None]
        assert found.effect.changed.questions == len(read)
        assert found.effect.changed.mean == pytest.approx(fmean(a != b for a, b in read))
        assert found.effect.changed.low < found.effect.changed.mean < found.effect.changed.high
        assert found.simulated
        with pytest.raises(UnknownName, match="unknown arm 'other'"):
            read_pairs(runs, PairPlan(run, arms=("single", "other")))
        with pytest.raises(InputError, match="name two arms"):
            read_pairs(runs, PairPlan(run, arms=("single", "single")))


async def test_arms_that_are_not_clear(tmp_path):
    arms = [*stored_runs.ARMS, {"name": "more", "protocol": "society-of-minds", "agents": 2}]
    run = (await stored_runs.run(tmp_path, n=2, arms=arms)).run
    async with open_lab(tmp_path, readonly=True) as lab:
        runs = RecordedRuns(lab, [run])
        with pytest.raises(InputError, match=r"--arms, of: single, minds, more"):
            read_pairs(runs, PairPlan(run))
        found = read_pairs(runs, PairPlan(run, arms=("single", "more")))
        assert found.match == ("single", "more")
        assert found.council == "more"
