"""What holds of every metric in every debate, however it went."""

from functools import cache
from random import Random

import pytest

from moot.core.events import Seated
from moot.core.questions import Question
from moot.metrics.metric import measure, registry

PEOPLE = ("first-accuracy", "first-vote-accuracy", "gain-to-last", "gain-to-verdict")
"""These look at seats."""
WRITTEN = ("4", "4.0", "8/2", "5", "6", None)
SEEDS = range(150)
ESSAYS = "moot.contrib.essays.essay_metrics"
"""Its metrics have debates of their own."""


def scripted(seed, debate, turn, *, seats=None):
    """A random debate of 1 to 5 agents and 1 to 4 rounds; ``seats`` says who sits where."""
    draw = Random(seed)
    agents, rounds = draw.randint(1, 5), draw.randint(1, 4)
    verdict, failed = draw.choice(WRITTEN), draw.random() < 0.1
    roles = [draw.choice(("mind", "mind", "mind", "judge")) for _ in range(agents)]
    unknown = draw.choice((None, "prompt_tokens", "completion_tokens", "cost"))
    seats = seats or list(range(agents))
    turns = []
    for round_ in range(1, rounds + 1):
        said = []
        for agent in range(agents):
            told = {
                "prompt_tokens": draw.randint(0, 500), "completion_tokens": draw.randint(0, 90),
                "cost": draw.random() / 8, "prefix_share": (len(turns) % 5) / 4,
                "seconds": draw.random(), "removed": draw.randint(0, 2),
                "text": "x" * draw.randint(0, 30), "role": roles[agent],
            }  # fmt: skip
            if unknown and draw.random() < 0.2:
                told[unknown] = None
            answer, speaks = draw.choice(WRITTEN), draw.random() < 0.9
            if speaks:
                said.append((seats[agent], answer, told))
        said.sort(key=lambda each: each[0])
        turns += [
            turn(len(turns) + k, seat, round_, answer, **told)
            for k, (seat, answer, told) in enumerate(said, 1)
        ]
    opinion = Question(id="q", kind="number", text="How many?")
    known = {} if draw.random() < 0.9 else {"question": opinion}
    return debate(*turns, verdict=verdict, failed=failed, **known)


def highest(name, agents, rounds):
    """The least and the greatest value that a metric can have in such a debate."""
    low, high = registry.get(name).range
    if high is None and registry.get(name).unit in {"debaters", "answers"}:
        high = max(agents, rounds)
    if high is None and registry.get(name).unit == "rounds":
        high = rounds
    return low, float("inf") if high is None else high


@cache
def measured(seed, debate, turn):
    """A random debate's values, measured once for all the properties."""
    return measure(scripted(seed, debate, turn))


def test_values_lie_in_their_range(debate, turn):
    outside = []
    for seed in SEEDS:
        transcript = scripted(seed, debate, turn)
        agents = sum(isinstance(event, Seated) for event in transcript.events)
        rounds = max((each.round for each in transcript.turns), default=0)
        values = measured(seed, debate, turn)
        bounds = {name: highest(name, agents, rounds) for name in registry.names()}
        for name in values:
            if name.startswith("round:"):
                bounds[name] = 0, 1
            elif ":" in name:
                bounds[name] = 0, agents
        outside += [
            (seed, name, values[name])
            for name, (low, high) in bounds.items()
            if (values[name] is None and ":" in name)
            or (values[name] is not None and not low <= values[name] <= high)
        ]
    assert outside == []


def test_who_sits_where_makes_no_difference(debate, turn):
    different = []
    for seed in SEEDS:
        seats = list(range(5))
        Random(seed + 1).shuffle(seats)
        other = measure(scripted(seed, debate, turn, seats=seats))
        different += [
            (seed, name, value, other[name])
            for name, value in measured(seed, debate, turn).items()
            if name not in PEOPLE
            and other[name] != (None if value is None else pytest.approx(value))
        ]
    assert different == []


def test_how_they_hang_together(debate, turn):
    pairs = [
        ("unanimous", "consensus"), ("consensus", "parsed-consensus"),
        ("parsed-changed", "changed"), ("changed-of-all", "changed"), ("changed", "changed-of-all"),
        ("change-rate-of-all", "change-rate"), ("relied-on-other-of-all", "relied-on-other"),
        ("bullied-by-other-of-all", "bullied-by-other"),
        ("agent-last-unparsed", "agent-any-unparsed"),
        ("unique-parsed-first-answers", "unique-first-answers"),
        ("cost-per-reply", "cost-per-round"), ("cost-per-round", "cost-per-agent"),
    ]  # fmt: skip
    flips = ("wrong-to-right", "right-to-wrong", "kept-right", "kept-wrong")
    wrong = []
    for seed in SEEDS:
        value = measured(seed, debate, turn)
        if value["any-correct"] is not None and value["any-correct"] < value["oracle-gap"]:
            wrong.append((seed, "oracle-gap"))
        wrong += [
            (seed, less, more)
            for less, more in pairs
            if None not in {value[less], value[more]} and value[less] > value[more] + 1e-12
        ]
        if value["wrong-to-right"] is not None:
            twice = sum(value[name] for name in flips)
            wrong += [
                (seed, part, flip)
                for part, flip in (
                    ("relied-on-other", "wrong-to-right"),
                    ("bullied-by-other", "right-to-wrong"),
                )
                if value[part] * twice > value[flip] + 1e-9
            ]
            if value["change-rate"] != pytest.approx(value["changed"] / twice):
                wrong.append((seed, "change-rate"))
    assert wrong == []


def test_the_random_debates_know_each_metric_and_lack_each_that_can_lack(debate, turn):
    """Else the properties above would hold of nothing."""
    known, lacking = set(), set()
    for seed in SEEDS:
        for name, value in measured(seed, debate, turn).items():
            (lacking if value is None else known).add(name)
    apart = {
        "invented-answers", "listed-answers", "nodes-agree", "opening-followed", "sweeps",
        "supports-affirmative", "supports-first-speaker", "supports-shown-first",
    }  # fmt: skip
    essays = {metric.name for metric in registry if metric.function.__module__ == ESSAYS}
    assert set(registry.names()) - known == apart | essays
    assert {"accuracy", "consensus", "cost", "correct-rounds", "first-diversity"} <= lacking
