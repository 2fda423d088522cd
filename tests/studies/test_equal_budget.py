"""Debates beside the majority of as many draws as they could have bought."""

import json
import random

import msgspec
import pytest
from msgspec.structs import replace

import moot
from moot.core.events import Closed, Failed, Opened, Transcript, Turn, Verdict
from moot.core.questions import WITHHELD, Question
from moot.core.stored import Arm, DebateRow
from moot.debate.protocol import registry
from moot.studies.equal_budget import (
    DrawCost,
    PoolDraws,
    add_pools,
    compare_budgets,
    count_samples,
    find_pools,
)
from moot.studies.lab import open_lab
from moot.studies.run_results import ArmTally
from moot.studies.study_run import compute_results
from support.sums import sums


def arm(name, protocol, **settings):
    settings = registry.get(protocol).check({"model": "simulated/people", **settings})
    return Arm(name=name, protocol=protocol, settings=settings)


def pooled(question, answers, *, replicate=0, prompt=70, words=30, cost=0.5, failed=False):
    """A self-consistency with these answers, and an aggregator that is no draw."""
    asked = Question(id=question, kind="number", text="2 + 2?", answer="4")
    said = [*(("sampler", answer) for answer in answers), ("aggregator", "9")]
    fixed = {"step": "answer", "round": 1, "model": "m", "text": "…", "reads": (), "call": "00"}
    fixed |= {"prompt_tokens": prompt, "completion_tokens": words, "cost": cost}
    turns = [
        Turn(id=number + 1, agent=role, seat=number, role=role, answer=answer, **fixed)
        for number, (role, answer) in enumerate(said)
    ]
    end = Failed(kind="X", reason="x") if failed else Closed(verdict=Verdict(answer="9"))
    opened = Opened(question=asked, protocol="self-consistency", settings={}, pack="")
    encoded = msgspec.json.encode(Transcript((opened, *turns, end)))
    place = {"run": 1, "arm": "vote", "dataset": "sums", "question": question}
    return DebateRow(replicate=replicate, failed=failed, values={}, encoded=encoded, **place)


def debates(*entries):
    """Debates: (question, right, tokens, cost), with a replicate where there is a fifth."""
    held = ArmTally(prices=True)
    for question, right, tokens, cost, *replicate in entries:
        key = (question, *(replicate or (0,)))
        held.right[key], held.took[key] = right, DrawCost(tokens, cost)
    return held


def compared(held, *rows):
    return {each.matched: each for each in compare_budgets({"arm": held}, "vote", rows)["arm"]}


def test_as_many_draws_as_fit_by_hand():
    """A draw takes 100 tokens and half a dollar; 4 is right."""
    rows = [
        pooled("q1", ["4", "5", "5", "4", "4"]),
        pooled("q2", ["5", "4", "4", "4"]),
        pooled("q3", ["5", None, "4", "4"]),
    ]
    held = debates(("q1", 1.0, 350, 2.5), ("q2", 0.0, 199, 1.0), ("q3", 1.0, 100, 0.1))
    got = compared(held, *rows)
    tokens, money = got["tokens"], got["cost"]
    # by tokens: q1 buys 3 and has 5, q2 buys 1 and has 5, q3 buys 1 and has 5
    assert (tokens.samples, tokens.spent, tokens.short) == (5 / 3, 500 / 3, 0)
    assert tokens.accuracy.mean == 0.0
    assert (tokens.difference.better, tokens.difference.worse) == (2, 0)
    # by money: q1 buys 5 and has 4, q2 buys 2, a tie for 5, q3 buys the one it must
    assert (money.samples, money.spent) == (8 / 3, 4 / 3)
    assert money.accuracy.mean == 1 / 3
    assert (money.pool, money.difference.pairs) == ("vote", 3)


def test_only_what_is_known_of_both_is_compared():
    rows = [
        pooled("q1", ["4"]),
        pooled("q2", ["4"], prompt=None),
        pooled("q3", ["4"], cost=None),
        pooled("q4", ["4"]),
        pooled("only here", ["4"]),
        pooled("q1", ["5"], replicate=1),
    ]
    held = debates(
        *((f"q{n}", 1.0, 100, 1.0) for n in (1, 2, 3)),
        ("q4", 1.0, None, None),
        ("only there", 1.0, 100, 1.0),
        ("q1", 0.0, 100, None, 1),
    )
    got = compared(held, *rows)
    assert (got["tokens"].difference.pairs, got["tokens"].difference.questions) == (3, 2)
    assert got["cost"].difference.pairs == 2  # q1 and q2


def test_prices_summed_in_another_order_are_the_same_sum():
    row = pooled("q1", ["4"] * 3)
    first, *turns, _, last = row.transcript.events
    turns = [replace(turn, cost=cost) for turn, cost in zip(turns, (0.1, 0.2, 0.3), strict=True)]
    row = replace(row, encoded=msgspec.json.encode(Transcript((first, *turns, last))))
    assert 0.3 + 0.2 + 0.1 < 0.1 + 0.2 + 0.3
    got = compared(debates(("q1", 1.0, 300, 0.3 + 0.2 + 0.1)), row)
    assert got["cost"].samples == 3


def test_the_pool_is_who_speaks_alike_and_has_most_samples():
    arms = [
        arm("single", "single"),
        arm("vote 3", "self-consistency", samples=3),
        arm("vote 9", "self-consistency", samples=9),
        arm("cold vote", "self-consistency", samples=50, temperature=0.0),
        arm("elsewhere", "self-consistency", samples=90, model="simulated/others"),
        arm("society", "society-of-minds"),
        arm("cold", "multi-persona", temperature=0.0),
        arm("hot", "multi-persona", temperature=1.5),
        arm("mixed", "society-of-minds", agents=[{"model": "simulated/others"}, {}]),
        arm("strange", "medprompt", model="simulated/strange"),
    ]
    assert find_pools(arms) == {"society": "vote 9", "cold": "cold vote", "hot": "cold vote"}


def test_a_study_without_draws_enough_can_have_them_added():
    arms = [
        arm("single", "single"),
        arm("vote", "self-consistency", samples=5),
        arm("society", "society-of-minds"),
        arm("persona", "multi-persona", rounds=1),
        arm("cold", "society-of-minds", temperature=0.0, agents=2),
        arm("equal-budget", "single", style="simple"),
    ]
    warm, cold = add_pools(arms)
    assert (warm.name, warm.settings["samples"]) == ("equal-budget 2", count_samples(6))
    assert (cold.name, cold.settings["temperature"]) == ("equal-budget 3", 0.0)
    added = find_pools([*arms, warm, cold])
    assert added == {"society": warm.name, "persona": warm.name, "cold": cold.name}
    assert list(add_pools([*arms, warm, cold])) == []
    assert [count_samples(calls) for calls in (1, 2, 3, 6, 64)] == [1, 3, 6, 18, 192]


@pytest.mark.parametrize("kind", ["text", "math"])
def test_of_a_secret_open_question_no_vote_is_counted(kind):
    """Its answers and its right answer are all withheld: they would all be the same words."""
    held = pooled("q", ["4", "5", "5"])
    first, *rest = held.transcript.events
    asked = replace(first.question, kind=kind, answer=WITHHELD, secret=True)
    opened = replace(first, question=asked)
    said = [replace(each, answer=WITHHELD) if isinstance(each, Turn) else each for each in rest]
    encoded = msgspec.json.encode(Transcript((opened, *said)))
    drawn = PoolDraws(replace(held, encoded=encoded).transcript)
    assert drawn.spent == {"tokens": None, "cost": None}
    assert PoolDraws(held.transcript).spent["tokens"]


def test_it_agrees_with_counting_by_hand_on_random_draws():
    chance = random.Random(8)
    held, rows, expected = [], [], {}
    for number in range(60):
        answers = [chance.choice(["4", "5", "6", None]) for _ in range(7)]
        budget, right = chance.randrange(1, 900), float(chance.randrange(2))
        first = answers[: min(7, max(1, budget // 100))]
        votes = {each: first.count(each) for each in first if each is not None}
        best = [each for each in first if votes.get(each) == max(votes.values(), default=0)]
        expected[f"q{number}"] = float(best[:1] == ["4"])
        held.append((f"q{number}", right, budget, None))
        rows.append(pooled(f"q{number}", answers))
    tokens = compared(debates(*held), *rows)["tokens"]
    assert tokens.accuracy.mean == pytest.approx(sum(expected.values()) / 60)
    better = sum(right > expected[question] for question, right, *_ in held)
    worse = sum(right < expected[question] for question, right, *_ in held)
    assert (tokens.difference.better, tokens.difference.worse) == (better, worse)


def test_what_is_short_free_failed_or_unknown():
    """Of four draws, 499 tokens would not have bought a fifth of 100, and 500 would."""
    rows = [pooled(f"q{n}", ["4"] * 4) for n in range(3)]
    held = debates(("q0", 1.0, 499, None), ("q1", 1.0, 500, None), ("q2", 1.0, 9000, None))
    assert compared(held, *rows)["tokens"].short == 2
    free = compared(debates(("q1", 1.0, 100, 0.0)), pooled("q1", ["4"], cost=0.0))
    assert set(free) == {"tokens"}
    assert compared(debates(("q1", 1.0, None, None)), pooled("q1", ["4"])) == {}
    assert compared(debates(), pooled("q1", ["4"])) == {}
    failed = pooled("q1", [], failed=True)
    tokens = compared(debates(("q1", 1.0, 100, 1.0)), failed)["tokens"]
    assert (tokens.accuracy.mean, tokens.samples, tokens.short) == (0.0, 0.0, 1)


def study(tmp_path, model, *arms, n=250):
    rows = tmp_path / "rows.jsonl"
    asked = [{"question": f"Is it so, {k}?", "answer": ("false", "true")[k % 2]} for k in range(n)]
    rows.write_text("\n".join(map(json.dumps, asked)))
    data = [{"name": "file", "path": str(rows), "kind": "boolean"}]
    prices = {model: {"input": 1.0, "output": 5.0}}
    return sums("trial", model, arms=arms, datasets=data, prices=prices)


@pytest.mark.parametrize(("drift", "gains"), [(0.0, False), (0.9, True)])
async def test_a_planted_gain_is_found_and_none_where_there_is_none(tmp_path, drift, gains):
    """Two answers and beliefs symmetric around one half: neither debate nor vote gains."""
    made = study(
        tmp_path,
        f"simulated/people?accuracy=0.5&truth_drift={drift}",
        {"protocol": "society-of-minds"},
        {"protocol": "self-consistency", "samples": 18},
    )
    outcome = await moot.run(made, store=tmp_path / "store")
    society, _ = outcome.results.arms
    for each in society.budget:
        assert each.difference.pairs == 250
        assert each.samples > 6
        assert each.short == 0
        assert (each.difference.p < 1e-6) is gains
        assert gains is (each.difference.low > 0)
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        assert compute_results(lab, outcome.run) == outcome.results
