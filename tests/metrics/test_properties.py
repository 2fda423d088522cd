"""What holds of every metric in every debate, however it went."""

from random import Random

import pytest

from moot.core.events import Seated
from moot.core.questions import Question
from moot.metrics.metric import measure, registry

PEOPLE = (
    "first-accuracy",
    "first-vote-accuracy",
    "gain-to-last",
    "gain-to-verdict",
)  # look at seats
WRITTEN = ("4", "4.0", "8/2", "5", "6", None)
SEEDS = range(150)
ESSAYS = "moot.essays.essay_metrics"  # whose metrics have debates of their own, in test_essays.py


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
                "prompt_tokens": draw.randint(0, 500),
                "completion_tokens": draw.randint(0, 90),
                "cost": draw.random() / 8,
                "prefix_share": (len(turns) % 5) / 4,
                "seconds": draw.random(),
                "removed": draw.randint(0, 2),
                "text": "x" * draw.randint(0, 30),
                "role": roles[agent],
            }
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


@pytest.mark.parametrize("seed", SEEDS)
def test_values_lie_in_their_range(seed, debate, turn):
    transcript = scripted(seed, debate, turn)
    agents = sum(isinstance(event, Seated) for event in transcript.events)
    rounds = max((each.round for each in transcript.turns), default=0)
    values = measure(transcript)
    for name in registry.names():
        low, high = highest(name, agents, rounds)
        assert values[name] is None or low <= values[name] <= high, name
    for name, value in values.items():
        if name.startswith("round:"):
            assert 0 <= value <= 1
        elif ":" in name:
            assert 0 <= value <= agents


@pytest.mark.parametrize("seed", SEEDS)
def test_who_sits_where_makes_no_difference(seed, debate, turn):
    transcript = scripted(seed, debate, turn)
    seats = list(range(5))
    Random(seed + 1).shuffle(seats)
    other = measure(scripted(seed, debate, turn, seats=seats))
    for name, value in measure(transcript).items():
        if name not in PEOPLE:
            assert other[name] == (None if value is None else pytest.approx(value)), name


@pytest.mark.parametrize("seed", SEEDS)
def test_how_they_hang_together(seed, debate, turn):
    transcript = scripted(seed, debate, turn)
    value = measure(transcript)
    assert value["any-correct"] is None or value["any-correct"] >= value["oracle-gap"]
    pairs = [
        ("unanimous", "consensus"),
        ("consensus", "parsed-consensus"),
        ("parsed-changed", "changed"),
        ("agent-last-unparsed", "agent-any-unparsed"),
        ("unique-parsed-first-answers", "unique-first-answers"),
        ("cost-per-reply", "cost-per-round"),
        ("cost-per-round", "cost-per-agent"),
    ]
    for less, more in pairs:
        if value[less] is not None and value[more] is not None:
            assert value[less] <= value[more] + 1e-12, (less, more)
    flips = ("wrong-to-right", "right-to-wrong", "kept-right", "kept-wrong")
    if value["wrong-to-right"] is not None:
        twice = sum(value[name] for name in flips)
        assert value["relied-on-other"] * twice <= value["wrong-to-right"] + 1e-9
        assert value["bullied-by-other"] * twice <= value["right-to-wrong"] + 1e-9
        assert value["change-rate"] == pytest.approx(value["changed"] / twice)


def test_the_random_debates_know_each_metric_and_lack_each_that_can_lack(debate, turn):
    """Else the properties above would hold of nothing."""
    known, lacking = set(), set()
    for seed in SEEDS:
        for name, value in measure(scripted(seed, debate, turn)).items():
            (lacking if value is None else known).add(name)
    sided = {"supports-affirmative", "supports-first-speaker", "supports-shown-first"}
    essays = {metric.name for metric in registry if metric.function.__module__ == ESSAYS}
    assert set(registry.names()) - known == {
        "listed-answers",
        "opening-followed",
        "sweeps",
        *sided,
        *essays,
    }
    assert {"accuracy", "consensus", "cost", "correct-rounds", "first-diversity"} <= lacking
