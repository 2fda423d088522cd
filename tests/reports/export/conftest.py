"""A run with everything an export has to carry: two arms, two datasets, failures, a secret."""

import msgspec
import pytest

from moot.core.events import Closed, Failed, Opened, Seat, Seated, Transcript, Verdict
from moot.core.questions import Question
from moot.core.stored import Arm, StudyRow
from moot.metrics.metric import measure
from moot.parsing.ruling import Ruling
from moot.reports.export.outline import ExportedDebate
from support.debates import make_turn

MODEL = "local/smollm2"
SETTINGS = {"model": MODEL, "agents": 2, "cast": []}
OPEN = Question(id="open", kind="text", text="What is a debate?")
PICK = Question(
    id="pick",
    kind="choice",
    text="Which is even?",
    context="Numbers are odd or even.",
    choices=("one", "two"),
    answer="B",
)
SUM = Question(id="sum", kind="number", text="=2-5?", answer=("-3", "-6/2"))
SECRET = Question(
    id="quiet",
    kind="choice",
    text="Whisper: which gate is open?",
    context="There is a hidden garden.",
    choices=("the northern one", "the southern one"),
    answer="A",
    secret=True,
)


def _debate(question, *answers, verdict=None, failed="", replicate=0, text="I say so.", **told):
    given = {"role": "mind", "model": MODEL, "text": text, "call": "00ff", "prompt_tokens": 50}
    given |= {"completion_tokens": 10, "seconds": 0.5, "cost": 0.25} | told
    turns = [
        make_turn(
            number,
            **given | {"agent": f"mind {number}", "seat": number - 1, "answer": answer},
            reads=tuple(range(1, number)),
        )
        for number, answer in enumerate(answers, 1)
    ]
    seats = [
        Seated(seat=Seat(number=turn.seat, agent=turn.agent, role="mind", model=MODEL))
        for turn in turns
    ]
    end = (
        Failed(kind="TransientError", reason=failed, retries=3, seconds=2.0)
        if failed
        else Closed(
            verdict=Verdict(answer=verdict, text=text, by="majority", turn=1, votes={"-3": 2}),
            seconds=1.5,
        )
    )
    kept = {"settings": SETTINGS, "pack": "00", "replicate": replicate}
    opened = Opened(question=question, protocol="society-of-minds", **kept)
    return Transcript((opened, *seats, *turns, end))


READ = {"finish": "length", "order": (1, 0), "parser": "ruling", "reading": Ruling(side="left")}
HELD = [
    ("pair", "open", _debate(OPEN, "talk", "=1+1", verdict="talk")),
    ("pair", "sums", _debate(PICK, "B", None, verdict="B", prompt_tokens=None)),
    ("pair", "sums", _debate(SECRET, "A", "A", verdict="A", text="The southern one is shut.")),
    ("pair", "sums", _debate(SUM, "-3", "4", verdict="4", text='=cmd("x"),\n"y"')),
    ("pair", "sums", _debate(SUM, "-3", "-3", verdict="-3", replicate=1, cached_tokens=20)),
    ("single", "sums", _debate(PICK, "A", failed="it hung up")),
    ("single", "sums", _debate(SUM, "-6/2", verdict="-6/2", **READ)),
]
"""Arm, dataset and what happened, in the order in which the store gives them."""


async def _keep(store, held, key="trial-1"):
    arms = tuple(Arm(name=n, protocol="p", settings=SETTINGS) for n in ("pair", "single"))
    study = StudyRow(name="Trial", arms=arms, baseline=None)
    run = store.begin_run(key, "Trial", msgspec.json.encode(study))
    for arm, dataset, transcript in held:
        question, replicate = transcript.question.id, transcript.opened.replicate
        values = measure(transcript)
        await store.save_debate(run.id, arm, dataset, question, replicate, transcript, values)
    store.set_status(run.id, "done")
    await store.flush()
    return store.find_run(key)


@pytest.fixture
def held():
    return HELD


@pytest.fixture
def debate():
    """Makes a transcript: question, the answer of each agent, and how it ended."""
    return _debate


@pytest.fixture
def keep(store):
    async def keep(held=HELD, key="trial-1"):
        return await _keep(store, held, key)

    return keep


@pytest.fixture
async def run(keep):
    return await keep()


@pytest.fixture
def debates(store, run):
    return [ExportedDebate(run, row) for row in store.debates(run.id)]


@pytest.fixture
def secret():
    return (SECRET.text, SECRET.context, *SECRET.choices, "southern")
