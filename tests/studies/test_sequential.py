"""Studies that end by themselves: what they say, recounted from transcripts, and when they end."""

import asyncio
import json
from collections import Counter
from fractions import Fraction
from zlib import crc32

import pytest

import moot
from moot.core.errors import InputError, RefusedError, UnknownName
from moot.core.stored import decode_study
from moot.statistics.sequences import open_sequence
from moot.studies.lab import open_lab
from moot.studies.study_file import load

SOCIETY = {"protocol": "society-of-minds"}
PERSONA = {"protocol": "multi-persona"}


def ask_file(tmp_path, n=250, equal=0):
    """Yes-or-no questions, the last ones equal to the first."""
    rows = [{"question": f"Is it so, {k}?", "answer": ("false", "true")[k % 2]} for k in range(n)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows + rows[:equal])))
    return {"name": "file", "path": str(path), "kind": "boolean"}


def study(data, model="simulated/people?accuracy=0.5", arms=(SOCIETY,), stop=(), **more):
    base = {"name": "trial", "settings": {"model": model}, "datasets": [data], "arms": list(arms)}
    return base | {"stop": dict(stop), "worth": True} | more


async def run(tmp_path, made, store="store", **given):
    """Run a study; return its outcome and statement."""
    outcome = await moot.run(made, store=tmp_path / store, **given)
    return outcome, outcome.results.statement


class Recount:
    """A run's transcripts, and what they come to by other code than moot's."""

    def __init__(self, rows, order):
        self.order = order
        self.rows = {
            (each.arm, each.dataset, each.question, each.replicate): each.transcript
            for each in rows
        }
        self.replicates = 1 + max(key[3] for key in self.rows)

    @classmethod
    async def read(cls, store, run):
        async with open_lab(store, readonly=True) as lab:
            row = lab.store.find_run(run)
            return cls(lab.store.debates(row.id), decode_study(row).sequential.order)

    @staticmethod
    def took(turn):
        return turn.prompt_tokens + turn.completion_tokens

    def vote(self, debate, samples):
        """Return the first samples that the debate's tokens buy, and their majority."""
        budget, spent, drawn = sum(map(self.took, debate.turns)), 0, []
        for turn in samples.turns:
            if drawn and spent + self.took(turn) > budget:
                break
            spent += self.took(turn)
            drawn.append(turn.answer)
        votes = Counter(answer for answer in drawn if answer is not None)
        first = {answer: drawn.index(answer) for answer in votes}
        won = max(votes, key=lambda answer: (votes[answer], -first[answer]), default=None)
        lacks = len(drawn) == len(samples.turns) and budget - spent >= spent / len(drawn)
        return won, len(drawn), spent, lacks

    def add_up(self, dataset, method, pool="equal-budget"):
        """Return sums of a method over the questions that count, and its sequence of gaps."""
        sums, gaps = Counter(), []
        for question in self.order[dataset]:
            pairs = [
                (
                    self.rows.get((method, dataset, question, number)),
                    self.rows.get((pool, dataset, question, number)),
                )
                for number in range(self.replicates)
            ]
            if any(None in pair for pair in pairs):
                break
            gap = Fraction(0)
            for debate, samples in pairs:
                right = debate.question.answer
                answer, drawn, spent, lacks = self.vote(debate, samples)
                ended = debate.verdict
                own = ended is not None and ended.answer == right
                gap += own - (answer == right)
                sums.update(
                    debates=1,
                    own=own,
                    vote=answer == right,
                    drawn=drawn,
                    spent=spent,
                    tokens=sum(map(self.took, debate.turns)),
                    failed=ended is None,
                    unread=ended is None or ended.answer is None,
                    lacks=lacks,
                )
            gaps.append(gap / self.replicates)
        return sums, gaps


async def check(tmp_path, outcome, store="store"):
    """Check every figure of a statement beside those of its transcripts."""
    told = await Recount.read(tmp_path / store, outcome.run)
    found = outcome.results.statement
    assert outcome.results.verdicts == found.methods
    for own in found.methods:
        sums, gaps = told.add_up(own.dataset, own.arm)
        n = sums["debates"]
        signs = Counter((gap > 0) - (gap < 0) for gap in gaps)
        assert (own.questions, own.won, own.lost) == (len(gaps), signs[1], signs[-1])
        assert own.tied == signs[0]
        assert own.accuracy.estimate == pytest.approx(sums["own"] / n)
        assert own.vote.accuracy == pytest.approx(sums["vote"] / n)
        assert own.vote.samples == pytest.approx(sums["drawn"] / n)
        assert own.vote.tokens == pytest.approx(sums["spent"] / n)
        assert own.tokens_per_question == pytest.approx(sums["tokens"] / n)
        assert (own.failed, own.short) == (sums["failed"], sums["lacks"])
        assert own.unread.method == pytest.approx(sums["unread"] / n)
        sequence = open_sequence(1 - found.alpha / len(found.methods))
        settled = None
        for number, gap in enumerate(gaps, 1):
            sequence.add(float(gap))
            low, high = sequence.low, sequence.high
            shown = low > 0 or high < 0 or (-found.margin <= low and high <= found.margin)
            settled = number if shown and settled is None else settled
        gap = own.difference
        assert (gap.low, gap.high, gap.level) == (sequence.low, sequence.high, sequence.level)
        assert gap.estimate == pytest.approx(float(sum(gaps) / len(gaps)))
        assert own.settled_at == settled
        assert own.p is None
    return found


@pytest.mark.parametrize(
    ("drift", "stop", "expected", "ended"),
    [
        (0.9, {}, "better", "settled"),
        (-0.9, {}, "worse", "settled"),
        (0.0, {"margin": 0.25}, "equal", "settled"),
        (0.0, {"margin": 0.02}, "open", "questions"),
    ],
)
async def test_what_is_planted_is_found(tmp_path, drift, stop, expected, ended):
    """Two answers and beliefs symmetric around one half: without a drift nobody gains."""
    model = f"simulated/people?accuracy=0.5&truth_drift={drift}"
    outcome, found = await run(tmp_path, study(ask_file(tmp_path), model, stop=stop))
    [own] = (await check(tmp_path, outcome)).methods
    assert (own.class_, found.stopped) == (expected, ended)
    assert own.tokens == "equal"
    assert own.short == 0
    if expected in {"better", "worse"}:
        assert own.questions < 100
        assert (own.difference.estimate > 0) is (expected == "better")
    heads = {"better": "Yes: ", "worse": "No: ", "equal": "Equal: ", "open": "Open: "}
    assert found.sentence.startswith(heads[expected])
    assert (found.rest is None) is (expected != "open")


async def test_a_settled_method_gets_no_more_calls_and_the_others_go_on(tmp_path):
    arms = [SOCIETY, {"protocol": "early-stopping-consistency"}, PERSONA]
    model = "simulated/people?accuracy=0.5&truth_drift=0.9"
    made = study(ask_file(tmp_path), model, arms, {"block": 10, "margin": 0.01})
    outcome, _ = await run(tmp_path, made)
    found = await check(tmp_path, outcome)
    assert found.family == 2  # a control is no debate, and runs beside them
    society, persona = found.methods
    assert society.settled_at <= society.questions < society.settled_at + 10
    assert society.questions % 10 == 0
    told = await Recount.read(tmp_path / "store", outcome.run)
    by_arm = Counter(arm for arm, *_ in told.rows)
    assert by_arm["society-of-minds"] == society.questions
    assert by_arm["multi-persona"] == persona.questions >= society.questions
    assert by_arm["equal-budget"] == max(society.questions, persona.questions)


def hesitate(call):
    """Answer right or wrong by question and draw, after a while that depends on both."""
    scene = call.scene
    throw = crc32(f"{scene.question.id} {scene.round} {call.draw}".encode()) % 100
    words = "so " * (throw % 9)
    said = f"{words}Final answer: {scene.question.answer if throw < 60 else 'unknown'}"
    if throw < 5 or len(scene.question.text) == len("Is it so, 1?"):
        return "I cannot say."
    return f"{words}Final answer: {_other(scene.question.answer)}" if throw >= 60 else said


def _other(answer):
    return "true" if answer == "false" else "false"


class Slow(moot.Scripted):
    """Whose replies come in another order than they were asked for."""

    async def complete(self, call):
        await asyncio.sleep(crc32(str(call.messages).encode()) % 7 / 2_000)
        return await super().complete(call)


@pytest.mark.parametrize("given", [(), ({"protocol": "self-consistency", "samples": 2},)])
async def test_several_models_have_a_vote_of_the_same_in_turn(tmp_path, given):
    one, two = "simulated/people?accuracy=0.9", "simulated/people?accuracy=0.3"
    arms = [SOCIETY, *({**each, "models": [two, one]} for each in given)]
    arms[0] = SOCIETY | {"models": [one, two, one], "rounds": 3}
    made = study(ask_file(tmp_path, 12), "scripted?reply=5", arms)
    outcome, _ = await run(tmp_path, made)
    await check(tmp_path, outcome)
    told = await Recount.read(tmp_path / "store", outcome.run)
    turns = [two, one] if given else [one, two, one]
    votes = [each for (arm, *_), each in told.rows.items() if arm == "equal-budget"]
    assert len(votes) == 12
    for vote in votes:
        spoke = [turn.model for turn in sorted(vote.turns, key=lambda turn: turn.seat)]
        assert spoke == [turns[seat % len(turns)] for seat in range(len(spoke))]
        assert len(spoke) > len(turns)


async def test_what_comes_first_does_not_matter(tmp_path):
    made = study(ask_file(tmp_path, 60), "scripted/planned", [SOCIETY, PERSONA], {"margin": 0.3})
    seen = []
    for number, (kind, width) in enumerate([(moot.Scripted, 1), (Slow, 40), (Slow, 7)]):
        model = kind(hesitate, name="planned")
        asked = made | {"settings": {"model": model.name}, "at_once": width}
        outcome, found = await run(tmp_path, asked, f"store {number}", models=[model])
        await check(tmp_path, outcome, f"store {number}")
        seen.append(found)
    assert seen[0] == seen[1] == seen[2]
    assert any(own.unread.method for own in seen[0].methods)


async def test_another_seed_draws_another_order_and_the_whole_is_the_same(tmp_path):
    given = ask_file(tmp_path, 30)
    model = "simulated/people?accuracy=0.5"
    one, other = [
        await run(tmp_path, study(given, model, stop={"seed": seed, "margin": 0.01}))
        for seed in (0, 1)
    ]
    assert one[0].run != other[0].run
    orders = [(await Recount.read(tmp_path / "store", each.run)).order for each, _ in (one, other)]
    assert orders[0]["file"] != orders[1]["file"]
    assert sorted(orders[0]["file"]) == sorted(orders[1]["file"])
    [first], [second] = one[1].methods, other[1].methods
    assert (first.won, first.lost, first.accuracy.estimate) == (
        second.won,
        second.lost,
        second.accuracy.estimate,
    )


async def test_stopped_and_gone_on_with_it_says_the_same_and_pays_nothing_twice(tmp_path):
    made = study(ask_file(tmp_path, 80), arms=[SOCIETY, PERSONA], stop={"margin": 0.2})
    whole, expected = await run(tmp_path, made, "whole")
    for cap in (150, 400, 900):
        stopped, part = await run(tmp_path, made | {"budget": {"calls": cap}}, "parts")
        assert (part.stopped, bool(stopped.stopped)) == ("cap", True)
        assert 0 < part.questions.used < expected.questions.used
        await check(tmp_path, stopped, "parts")
        assert part.rest.questions > 0
    gone_on, found = await run(tmp_path, made, "parts")
    assert (gone_on.run, found) == (whole.run, expected)
    assert gone_on.unchanged > 0
    counts = []
    for store in ("whole", "parts"):
        async with open_lab(tmp_path / store, readonly=True) as lab:
            counts.append(lab.store.sum_spent(lab.store.find_run(whole.run).id).calls)
    assert counts[0] == counts[1]
    again, same = await run(tmp_path, made, "parts")
    assert same == expected
    assert again.unchanged == again.done


@pytest.mark.parametrize("cap", [{"calls": 200}, {"tokens": 8_000}, {"cost": 0.02}])
async def test_every_cap_leaves_a_valid_statement(tmp_path, cap):
    model = "simulated/people?accuracy=0.5"
    prices = {model: {"input": 1.0, "output": 5.0}}
    made = study(ask_file(tmp_path), model, budget=cap, prices=prices)
    outcome, found = await run(tmp_path, made)
    await check(tmp_path, outcome)
    assert found.stopped == "cap"
    assert 0 < found.questions.used < 250
    assert ", where the cap ended the study" in found.sentence
    assert found.rest.cost > 0


async def test_a_cap_below_one_question_says_that_nothing_was_compared(tmp_path):
    outcome, found = await run(tmp_path, study(ask_file(tmp_path), budget={"calls": 3}))
    assert outcome.stopped
    assert found.sentence.startswith("Open: no question has been compared yet")
    assert (found.questions.used, found.rest) == (0, None)


async def test_cancelled_it_leaves_what_is_counted_and_goes_on(tmp_path):
    made = study(ask_file(tmp_path, 60), stop={"block": 5, "margin": 0.01})
    made["settings"]["model"] += "&latency=0.002"
    looks = []
    from moot.studies.plan import Plan
    from moot.studies.study_run import compute_results, run_plan

    plan = Plan(load(made))
    async with open_lab(tmp_path / "store") as lab:
        running = asyncio.create_task(run_plan(plan, lab, look=looks.append))
        while len(looks) < 2:
            await asyncio.sleep(0.001)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        found = compute_results(lab, plan.key).statement
    assert found.stopped == "interrupted"
    assert found.questions.used >= looks[-1].questions.used == 10
    whole, expected = await run(tmp_path, made)
    clean, same = await run(tmp_path, made, "clean")
    assert (whole.run, expected) == (clean.run, same)


async def test_equal_questions_are_one_and_replicates_one_mean(tmp_path):
    given = ask_file(tmp_path, 30, equal=12)
    made = study(given, stop={"margin": 0.01}, replicates=2)
    outcome, _ = await run(tmp_path, made)
    found = await check(tmp_path, outcome)
    assert (found.questions.given, found.questions.unique, found.questions.used) == (42, 30, 30)
    assert len(found.questions.file_sha256) == 64
    [own] = found.methods
    assert own.questions == 30
    told = await Recount.read(tmp_path / "store", outcome.run)
    assert told.replicates == 2
    codes = {each.code: each.text for each in found.warnings}
    assert codes["equal-questions"].startswith("12 of 42 questions equal")
    assert "few-questions" in codes
    assert "simulated" in codes


async def test_failed_debates_and_votes_are_wrong(tmp_path):
    def script(call):
        number = crc32(call.scene.question.id.encode())
        if call.scene.role != "sampler" and number % 4 == 0:
            raise RefusedError("no words for this")
        if call.scene.role == "sampler" and number % 4 == 1:
            raise RefusedError("no vote on this")
        return f"Final answer: {call.scene.question.answer}"

    model = moot.Scripted(script, name="moody")
    made = study(ask_file(tmp_path, 40), model.name, [PERSONA], {"margin": 0.01})
    _, found = await run(tmp_path, made, models=[model])
    [own] = found.methods
    assert own.questions == 40
    assert own.failed == own.lost > 0
    assert own.won > 0
    assert own.unread.method == own.failed / 40
    assert own.unread.vote == own.won / 40
    assert {"failed", "unread"} <= {each.code for each in found.warnings}


async def test_a_block_whose_debates_all_fail_is_the_last(tmp_path):
    def script(_call):
        raise RefusedError("gone fishing")

    model = moot.Scripted(script, name="away")
    made = study(ask_file(tmp_path, 40), model.name, stop={"block": 10})
    outcome, found = await run(tmp_path, made, models=[model])
    assert outcome.stopped.startswith("all 10 debates of a block failed")
    assert "gone fishing" in outcome.stopped
    assert found.stopped == "interrupted"
    assert found.questions.used == 10


async def test_all_against_the_file_is_a_warning(tmp_path):
    wrong = "Is it so, 7?"

    def script(call):
        right = call.scene.question.answer
        return f"Final answer: {_other(right) if wrong[:12] in call.scene.question.text else right}"

    wrong = "Is it so, 1"  # 1, 10 to 19
    model = moot.Scripted(script, name="sure")
    made = study(ask_file(tmp_path, 40), model.name, [SOCIETY, PERSONA], {"margin": 0.01})
    _, found = await run(tmp_path, made, models=[model])
    [warned] = [each for each in found.warnings if each.code == "agree-against-answer"]
    assert "on 11 questions" in warned.text


async def test_each_debate_is_drawn_as_many_samples_as_the_dearest_method_buys(tmp_path):
    arms = [{**SOCIETY, "agents": 2}, SOCIETY | {"name": "three"}, {"protocol": "single"}]
    made = study(ask_file(tmp_path, 30), arms=arms, stop={"margin": 0.01})
    outcome, _ = await run(tmp_path, made)
    found = await check(tmp_path, outcome)
    assert [own.arm for own in found.methods] == ["society-of-minds", "three"]
    assert found.methods[0].vote.samples < found.methods[1].vote.samples
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        row = lab.store.find_run(outcome.run)
        by_arm = {each.arm: each for each in lab.store.debates(row.id, question="rows-1")}
    single = by_arm["single"].transcript.turns[0]
    drawn = [turn.call for turn in by_arm["equal-budget"].transcript.turns]
    opened = [turn.call for turn in by_arm["three"].transcript.turns[:3]]
    assert drawn[0] == single.call
    assert drawn[:3] == opened


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ({"margin": 5}, "margin = 5: a share above 0 and below 1"),
        ({"alpha": 0.0}, "alpha = 0: a share above 0"),
        ({"block": 0}, "block = 0"),
        ({"seed": -1}, "seed = -1"),
        ({"methods": ["single"]}, "'single' is a vote, or a single reply, itself"),
    ],
)
def test_what_a_rule_cannot_be(tmp_path, stop, words):
    made = study(ask_file(tmp_path), arms=[SOCIETY, {"protocol": "single"}], stop=stop)
    with pytest.raises(InputError, match=words):
        load(made)


def test_unknown_names_and_studies_without_a_debate(tmp_path):
    given = ask_file(tmp_path)
    with pytest.raises(UnknownName, match="did you mean 'margin'"):
        load(study(given, stop={"margn": 0.1}))
    with pytest.raises(UnknownName, match="society"):
        load(study(given, stop={"methods": ["society-of-mind"]}))
    with pytest.raises(InputError, match="there is no debate to compare"):
        load(study(given, arms=[{"protocol": "single"}]))
    mixed = {"protocol": "society-of-minds", "agents": [{"model": "scripted?reply=4"}, {}]}
    made = load(study(given, arms=[mixed]))
    assert made.pools == {"society-of-minds": "equal-budget"}
    cast = [each["model"] for each in made.arms[-1].settings["cast"]]
    assert cast[:3] == ["scripted?reply=4", made.arms[0].settings["model"], "scripted?reply=4"]


def test_a_fixed_study_stays_what_it_was(tmp_path):
    fixed = study(ask_file(tmp_path)) | {"worth": False, "stop": {"margin": 0.1}}
    assert load(fixed).stop is None
    assert [arm.name for arm in load(fixed).arms] == ["society-of-minds"]
    ended = load(study(ask_file(tmp_path)))
    assert ended.stop.methods == ("society-of-minds",)
    assert ended.pools == {"society-of-minds": "equal-budget"}


async def test_a_question_without_a_right_answer_is_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "Why?"}')
    with pytest.raises(InputError, match="has no right answer"):
        await moot.run(study({"name": "file", "path": str(path)}), store=tmp_path / "store")


async def test_batches_do_not_go_with_it(tmp_path):
    made = study(ask_file(tmp_path, 5), "openai/gpt-4o-mini")
    with pytest.raises(InputError, match="neither batches nor --ray"):
        await moot.run(made, store=tmp_path / "store", batch=tmp_path / "lines.jsonl")
