"""The class of each debate beside a vote at equal tokens, and the family of its p."""

from collections import Counter
from zlib import crc32

import pytest
from msgspec.structs import replace

import moot
from moot.core.errors import RefusedError
from moot.core.results import ArmResult, Difference, EqualBudget, Mean, Measure, Results
from moot.core.stored import Arm
from moot.core.worth import Unread
from moot.debate.protocol import kind_of, registry
from moot.statistics.accuracies import compare_paired, find_wide_interval
from moot.statistics.intervals import clopper_pearson
from moot.statistics.paired import mcnemar
from moot.statistics.power import find_questions, power_of_mcnemar
from moot.studies.judging import correct_budgets, find_traits, judge_methods
from moot.studies.lab import open_lab
from support.sums import sums

NOTHING = ("first_accuracy", "difference", "flips", "oracle_gap")
ARM = {"simulated": False, "n": 200, "failed": 0, "unparsed": 0, "others": {}, "calls": 200}
ARM |= {"accuracy": Mean(mean=0.6, n=200, questions=200), "replayed": 0, "retries": 0}
ARM |= dict.fromkeys(NOTHING) | dict.fromkeys(("cached_tokens", "cost", "seconds"), Measure())
ARM |= dict.fromkeys(("prompt_tokens", "completion_tokens"), Measure(total=20_000, known=200))


def outcome(won, lost, n=200):
    """The difference of a debate that alone is right on so many questions, and wrong on so many."""
    debate = {(f"q{k}", 0): float(k < won) for k in range(n)}
    vote = {(f"q{k}", 0): float(won <= k < won + lost) for k in range(n)}
    return debate, vote


def budget(won, lost, n=200, *, short=0, spent=480.0, wide=0):
    debate, vote = outcome(won, lost, n)
    return EqualBudget(
        matched="tokens",
        pool="draws",
        samples=4.5,
        spent=spent,
        short=short,
        taken=500.0,
        accuracy=Mean(mean=0.5, n=n, questions=n),
        difference=compare_paired(debate, vote),
        wanted=12,
        unread=Unread(method=0.01, vote=0.0),
        wide=find_wide_interval(debate, vote, wide) if wide else None,
    )


def debate(name, *budgets, dataset="sums", **fields):
    given = ARM | {"dataset": dataset, "arm": name, "protocol": name, "budget": budgets}
    return ArmResult(**given | fields)


def judged(*arms, margin=None, remedies=None, planned=None):
    fixed = tuple(correct_budgets(arms))
    about = {"run": "r", "name": "r", "simulated": False, "baseline": None, "planned": planned}
    return judge_methods(Results(arms=fixed, **about), remedies or {}, margin)


def classes(*arms, **options):
    return [each.class_ for each in judged(*arms, **options)]


def test_better_worse_and_open_at_equal_tokens():
    better, worse, open_ = judged(
        debate("a", budget(40, 10)), debate("b", budget(10, 40)), debate("c", budget(20, 22))
    )
    assert (better.class_, worse.class_, open_.class_) == ("better", "worse", "open")
    assert (better.won, better.lost, better.tied, better.questions) == (40, 10, 150, 200)
    assert better.difference.estimate == pytest.approx(0.15)
    assert better.p == pytest.approx(3 * mcnemar(40, 10))
    assert (better.tokens, better.against, better.opponent) == ("equal", "draws", "a vote")
    assert better.unread == Unread(method=0.01, vote=0.0)
    assert (better.advice, worse.advice) == ("", "")
    assert open_.advice.startswith("n = ")


@pytest.mark.parametrize(
    ("more", "classes", "tokens"),
    [({"spent": 501.0}, ["better", "open"], "more"), ({"short": 1}, ["open", "worse"], "fewer")],
)
def test_beside_a_dearer_vote_a_debate_can_only_win_and_beside_a_cheaper_only_lose(
    more, classes, tokens
):
    found = judged(debate("a", budget(60, 5, **more)), debate("b", budget(5, 60, **more)))
    assert [each.class_ for each in found] == classes
    assert {each.tokens for each in found} == {tokens}
    advised = "add self-consistency with samples = 12"
    assert tokens == "more" or found[0].advice == advised


def single(dataset="sums", tokens=1_000, kind="single"):
    spent = Measure(total=tokens, known=200)
    return debate("single", dataset=dataset, kind=kind, baseline="single", prompt_tokens=spent)


@pytest.mark.parametrize(
    ("won", "lost", "tokens", "kind", "expected"),
    [
        (60, 5, 1_000, "single", "open"),
        (5, 60, 1_000, "single", "worse"),
        (5, 60, 90_000, "single", "open"),  # it took more than the debate
        (5, 60, 20_000, "single", "open"),  # it took as much
        (5, 60, 1_000, "debate", "open"),  # the baseline is a debate itself
    ],
)
def test_without_a_vote_a_cheaper_baseline_can_only_beat_it(won, lost, tokens, kind, expected):
    gap = compare_paired(*outcome(won, lost))
    arm = debate("a", difference=gap, baseline="single")
    remedies = {"a": "add equal_budget = true to the study"}
    *_, found = judged(single(tokens=tokens, kind=kind), arm, remedies=remedies)
    assert found.class_ == expected
    assert found.advice == remedies["a"]  # it is off, whatever is found
    if expected == "worse":
        assert (found.opponent, found.tokens) == ("a single reply", "fewer")


def test_all_debates_and_datasets_are_one_family_and_controls_another():
    arms = [
        debate("a", budget(10, 1)),
        debate("b", budget(10, 1), dataset="other"),
        debate("c", budget(10, 1), kind="control"),
    ]
    one = mcnemar(10, 1)
    fixed = [arm.budget[0].difference for arm in correct_budgets(arms)]
    assert [gap.p_holm for gap in fixed] == pytest.approx([2 * one, 2 * one, one])
    assert [each.p for each in judged(*arms)] == [gap.p_holm for gap in fixed[:2]]
    alone = correct_budgets(arms[:1])[0].budget[0].difference
    assert fixed[0].smallest > alone.smallest == fixed[2].smallest


@pytest.mark.parametrize(("won", "lost", "n"), [(20, 18, 2_000), (0, 0, 400), (3, 2, 1_000)])
def test_equal_only_within_a_stated_margin(won, lost, n):
    arm = debate("a", budget(won, lost, n, wide=1))
    assert classes(arm) == ["open"]
    [equal] = judged(arm, margin=0.05)
    assert equal.class_ == "equal"
    assert -0.05 <= equal.difference.low <= equal.difference.high <= 0.05
    assert equal.difference.level == 0.95
    assert classes(debate("a", budget(won, lost, n, wide=1, short=1)), margin=0.05) == ["open"]


def test_as_many_questions_as_are_advised_show_what_is_said():
    [found] = judged(debate("a", budget(20, 22)))
    assert found.smallest > 0.05
    n = int(found.advice.split()[2])
    assert found.advice == f"n = {n} shows 5 points"
    assert 0.8 <= power_of_mcnemar(n, 0.05, 0.21) < 0.82
    assert n == find_questions(0.05, 0.21)
    [large] = judged(debate("a", budget(20, 22, 5_000)))
    assert "shows 5 points" not in large.advice


def test_the_table_of_a_baseline_never_says_less_than_the_verdict():
    gap = replace(compare_paired(*outcome(5, 25)), p_holm=0.2)
    assert isinstance(gap, Difference)
    *_, found = judged(single(), debate("a", difference=gap, baseline="single"))
    assert (found.class_, found.p) == ("open", 0.2)


def make(name, protocol, **settings):
    checked = registry.get(protocol).check({"model": "simulated/people", **settings})
    return Arm(name=name, protocol=protocol, settings=checked)


def test_what_arms_are_and_what_they_lack():
    arms = [
        make("single", "single"),
        make("vote", "self-consistency", samples=5),
        make("adaptive", "adaptive-consistency"),
        make("society", "society-of-minds"),
        make("one round", "society-of-minds", rounds=1),
        make("shown reasons", "exposure"),
        make("shown stances", "exposure", shows="stances"),
        make("mixed", "society-of-minds", agents=[{"model": "simulated/others"}, {}]),
        Arm(name="gone", protocol="no-such-protocol", settings={"model": "simulated/people"}),
    ]
    traits = find_traits(arms)
    debates = [name for name, each in traits.items() if each.is_debate]
    assert debates == ["society", "shown reasons", "mixed", "gone"]
    assert traits["society"].remedy == "add equal_budget = true to the study"
    assert "self-consistency with the same models" in traits["mixed"].remedy
    assert (traits["gone"].remedy, traits["single"].remedy) == ("", "")
    enough = find_traits([*arms, make("many", "self-consistency", samples=400)])
    assert {each.remedy for name, each in enough.items() if name != "mixed"} == {""}
    assert set(traits["mixed"].models) == {"simulated/others", "simulated/people"}


def test_every_protocol_says_what_it_is():
    kinds = {each.name: kind_of(each.name) for each in registry}
    assert kinds["self-consistency"] == "samples"
    assert {name for name, kind in kinds.items() if kind in {"single", "control"}} == {
        *("single", "adaptive-consistency", "early-stopping-consistency", "ensemble-refinement"),
        *("medprompt", "planted-peers", "self-correction", "solo-performance"),
    }


def test_what_is_no_debate_or_has_not_enough_is_left_open():
    kinds = "single", "samples", "control"
    arms = [debate(kind, budget(5, 60), kind=kind) for kind in kinds]
    assert [each.arm for each in judged(*arms, debate("a", budget(5, 60)))] == ["a"]
    assert classes(debate("a", budget(10, 1))) == ["better"]
    many = [debate(f"a{k}", budget(10, 1)) for k in range(5)]
    assert classes(*many) == ["open"] * 5  # of many, a small p is none
    for won, lost, n in ((0, 0, 50), (2, 1, 60), (60, 55, 400)):  # few questions are not equal
        assert classes(debate("a", budget(won, lost, n, wide=1)), margin=0.05) == ["open"]
    arm = debate("a", budget(5, 60))
    assert classes(arm, planned=200) == ["worse"]
    [found] = judged(arm, planned=201)
    assert (found.class_, found.advice) == ("open", "run the study to its end")
    [found] = judged(debate("a", budget(20, 22)), remedies={"a": "add equal_budget = true"})
    assert (found.tokens, found.advice[:4]) == ("equal", "n = ")  # what is on is not advised
    assert judged(debate("a", budget(5, 60), accuracy=Mean())) == ()
    assert judged(debate("a"))[0].p is None
    assert judged(debate("a"))[0].difference.estimate is None
    [traits] = find_traits([Arm(name="old", protocol="society-of-minds", settings={})]).values()
    assert (traits.is_debate, traits.models, traits.remedy) == (True, (), "")


def planted(call):
    """Answer right, wrong, unreadably or not at all, by question and draw."""
    scene, right = call.scene, call.scene.question.answer
    throw = crc32(f"{scene.question.text} {scene.round} {call.draw}".encode()) % 100
    if scene.round == 2 and throw % 50 == 0:
        raise RefusedError("no words")
    said = "no number" if throw < 8 else f"Final answer: {right if throw < 70 else int(right) + 1}"
    return f"{'well, ' * (throw % 7)}{said}"


async def recount(store, run, debate, pool):
    """Add up a debate and a vote at its tokens from transcripts, without moot's own comparison."""
    async with open_lab(store, readonly=True) as lab:
        rows = list(lab.store.debates(lab.store.find_run(run).id))
    mine, theirs = (
        {each.question: each.transcript for each in rows if each.arm == arm}
        for arm in (debate, pool)
    )
    sums = Counter()
    for question, own in mine.items():
        right = own.question.answer
        spent = sum(each.prompt_tokens + each.completion_tokens for each in own.turns)
        answers, taken, votes = [], 0, Counter()
        drawn = list(theirs[question].turns)
        for turn in drawn:
            size = turn.prompt_tokens + turn.completion_tokens
            if taken + size > spent and answers:
                break
            answers.append(turn.answer)
            taken += size
        votes.update(each for each in answers if each is not None)
        most = max(votes.values(), default=0)
        winner = next((each for each in answers if each and votes[each] == most), None)
        ended = own.verdict
        won, beside = ended is not None and ended.answer == right, winner == right
        mean = taken / len(answers)
        sums.update(
            questions=1,
            failed=own.failed is not None,
            right=won,
            vote=beside,
            samples=len(answers),
            spent=taken,
            tokens=spent,
            cost=sum(each.cost for each in own.turns),
            short=len(answers) == len(drawn) and spent - taken >= mean,
        )
    return sums


@pytest.mark.parametrize("samples", [4, 18])
async def test_figures_of_a_verdict_are_those_of_its_transcripts(tmp_path, samples):
    model = moot.Scripted(planted, name="planted")
    arms = [
        {"protocol": "self-consistency", "samples": samples},
        {"protocol": "society-of-minds"},
    ]
    prices = {model.name: {"input": 3.0, "output": 15.0}}
    data = [{"name": "arithmetic", "n": 120, "difficulty": 2}]
    asked = {"datasets": data, "prices": prices, "baseline": "self-consistency"}
    study = sums("figures", model.name, arms=arms, **asked)
    outcome = await moot.run(study, store=tmp_path, models=[model])
    [found] = outcome.results.verdicts
    told = await recount(tmp_path, outcome.run, "society-of-minds", "self-consistency")
    n = told["questions"]
    assert found.questions == n == 120
    assert found.failed == told["failed"] > 0
    assert found.short == told["short"]
    assert (found.short > 0) is (samples == 4)
    assert found.accuracy.estimate == pytest.approx(told["right"] / n)
    assert (found.accuracy.low, found.accuracy.high) == clopper_pearson(told["right"], n)
    assert found.vote.accuracy == pytest.approx(told["vote"] / n)
    assert found.vote.samples == pytest.approx(told["samples"] / n)
    assert found.vote.tokens == pytest.approx(told["spent"] / n)
    assert found.tokens_per_question == pytest.approx(told["tokens"] / n)
    assert found.cost_per_question == pytest.approx(told["cost"] / n)
    assert found.difference.estimate == pytest.approx((told["right"] - told["vote"]) / n)


async def test_beside_a_single_reply_its_figures_are_the_votes(tmp_path):
    model = moot.Scripted(planted, name="planted")
    arms = [{"protocol": "single"}, {"protocol": "society-of-minds"}]
    outcome = await moot.run(sums("one", model.name, 60, arms), store=tmp_path, models=[model])
    [found] = outcome.results.verdicts
    one, debate = outcome.results.arms
    assert found.vote.accuracy == one.accuracy.mean
    assert (found.vote.samples, found.vote.tokens) == (1.0, one.tokens)
    assert (found.failed, found.accuracy.estimate) == (debate.failed, debate.accuracy.mean)
    assert found.cost_per_question == debate.cost.mean
    assert (found.tokens_per_question, found.short) == (debate.tokens, 0)


async def test_before_all_debates_are_in_there_is_no_p_and_an_interval_for_every_look(tmp_path):
    model = moot.Scripted(planted, name="planted")
    arms = [{"protocol": "self-consistency", "samples": 18}, {"protocol": "society-of-minds"}]
    data = [{"name": "arithmetic", "n": 60, "difficulty": 2}]
    study = sums("part", model.name, arms=arms, datasets=data, at_once=4)
    part = await moot.run(study | {"budget": {"calls": 500}}, store=tmp_path, models=[model])
    [found] = part.results.verdicts
    assert part.stopped
    assert 5 < found.questions < 60
    assert (found.class_, found.p) == ("open", None)
    assert found.advice == "run the study to its end"
    budget = next(arm.budget[0] for arm in part.results.arms if arm.budget)
    low, high = found.difference.low, found.difference.high
    assert budget.looked == (low, high)
    assert low < budget.difference.low <= budget.difference.high < high  # wider than one look's
    [whole] = (await moot.run(study, store=tmp_path, models=[model])).results.verdicts
    assert whole.p is not None
    assert (whole.difference.low, whole.questions) > (low, found.questions)
