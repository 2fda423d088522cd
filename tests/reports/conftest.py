"""A small run whose questions and replies are hostile."""

import msgspec
import pytest
from msgspec.structs import replace

from moot.core.events import Closed, Failed, Opened, Seat, Seated, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.core.readings import Reading, decode_reading
from moot.core.stored import DebateRow, DebateValues
from moot.debate.protocol import registry
from moot.metrics.metric import measure
from moot.studies.dry_run import rehearse_debate
from moot.studies.judging import ArmTraits
from moot.studies.run_results import summarise
from support.debates import make_turn

HOSTILE = (
    "<script>alert(1)</script></script></style></title></textarea>--><img src=x onerror=alert(1)>"
    '<a href="javascript:alert(1)">a</a>\'"><svg/onload=alert(1)>&lt;b&gt; [x](javascript:alert(1))'
    " {{ 7 * 7 }} {% raw %} [bold red]x[/bold red] "
    "\x1b[2J\x1b]0;owned\x07\x9b31m\r\b \u202egpj.exe\u2066\u200b </details></main>"
)


def _transcript(
    arm, number, answers, *, verdict="4", text="It is 4.", cost=0.001, replicate=0, **opened
):
    size = len(answers[0])
    seats = [
        Seated(seat=Seat(number=k, agent=f"mind {k}", role="mind", model="local/smollm2"))
        for k in range(size)
    ]
    given = {"role": "mind", "model": "local/smollm2", "call": "00", "text": text, "cost": cost}
    given |= {"prompt_tokens": 50, "completion_tokens": 10, "seconds": 0.5}
    turns = [
        make_turn(
            1 + k + size * n,
            **given | {"agent": f"mind {k}", "seat": k, "answer": answer, "round": 1 + n},
            step="revise" if n else "answer",
            reads=tuple(range(1 + size * (n - 1), 1 + size * n)) if n else (),
        )
        for n, answers_of_round in enumerate(answers)
        for k, answer in enumerate(answers_of_round)
    ]
    end = (
        Failed(kind="TransientError", reason=text)
        if verdict == "failed"
        else Closed(verdict=Verdict(answer=verdict, by="majority", votes={"4": 2, "5": 1}))
    )
    question = Question(
        id=f"q{number}", kind="number", text=opened.pop("asked", "2 + 2?"), answer="4"
    )
    settings = {"agents": size, "rounds": len(answers)}
    start = Opened(
        question=question, protocol=arm, settings=settings, pack="00", replicate=replicate, **opened
    )
    return Transcript((start, *seats, *turns, end))


def _row(arm, transcript, dataset="sums"):
    return DebateRow(
        run=1,
        arm=arm,
        dataset=dataset,
        question=transcript.question.id,
        replicate=transcript.opened.replicate,
        failed=transcript.failed is not None,
        values=measure(transcript),
        encoded=msgspec.json.encode(transcript),
    )


def _results(rows, **options):
    values = (DebateValues(*(getattr(row, name) for name in DebateValues._fields)) for row in rows)
    traits = {"single": ArmTraits("single", "single"), "society": ArmTraits("society-of-minds")}
    given = {"run": "trial-1", "name": "Trial", "baseline": "single", "arms": ("single", "society")}
    given["traits"] = traits
    return summarise(values, **given | options)


async def _network(name, number=1, answer="8", **settings):
    """A real debate of a network in which everyone's answer is the number of the turn."""
    protocol = registry.get(name)
    held = await rehearse_debate(protocol, protocol.check({"agents": 1, "rounds": 1} | settings))
    question = msgspec.structs.replace(held.question, id=f"q{number}", answer=answer)
    opened = msgspec.structs.replace(held.opened, question=question, simulated=False)
    return Transcript((opened, *held.events[1:]))


hostile = pytest.fixture(lambda: HOSTILE, name="hostile")
transcript = pytest.fixture(lambda: _transcript, name="transcript")
network = pytest.fixture(lambda: _network, name="network")
row = pytest.fixture(lambda: _row, name="row")
results = pytest.fixture(lambda: _results, name="results")
rows = pytest.fixture(lambda: _rows, name="rows")


@pytest.fixture
def one_node(network):
    """A network of one node, of any name: such as stands in a store that others have written."""

    async def held(name):
        nodes, edges = [{"name": "a-node"}], [["a-node", "judge"]]
        events = (await network("network", nodes=nodes, edges=edges)).events
        return Transcript(
            tuple(
                msgspec.convert(
                    _renamed(msgspec.to_builtins(event), name), type(event), dec_hook=decode_reading
                )
                for event in events
            )
        )

    return held


def _renamed(value, name):
    """Plain data with another name for the node in all that it holds."""
    if isinstance(value, dict):
        return {key: _renamed(each, name) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(each, name) for each in value]
    return value.replace("a-node", name) if isinstance(value, str) else value


def _rows(questions=6, **options):
    """Two arms on six questions: something right, wrong, unparsed, failed and flipped."""
    made = []
    for k in range(questions):
        verdict = ("4", "5", None, "failed", "4", "4")[k % 6]
        single = _transcript("single", k, [(verdict,)], verdict=verdict, **options)
        society = _transcript("society", k, [("5", "4", None), ("4", "4", "5")], **options)
        made += [_row("single", single), _row("society", society)]
    return made


class Doubt(Reading, frozen=True, kw_only=True, tag="test-doubt"):
    """What a parser of another package yields."""

    doubt: float = 0.0


@pytest.fixture
def gated(transcript):
    """A debate of which the first agent is a gate, read by another package's parser."""
    events = list(transcript("s", 1, [("4", None)]).events)
    for number, event in enumerate(events):
        if isinstance(event, Seated) and event.seat.number == 1:
            seat = replace(event.seat, debater=False, role="gate")
            events[number] = replace(event, seat=seat)
        elif isinstance(event, Turn) and event.seat == 1:
            events[number] = replace(event, role="gate", step="judge", reading=Doubt(doubt=0.25))
    return Transcript(tuple(events))
