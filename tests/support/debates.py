"""Questions, replies, and a way to hold one debate."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from moot.core.calls import Call, Sampling
from moot.core.events import Closed, Failed, Seat, Transcript, Turn
from moot.core.ports import Ledger, Model
from moot.core.questions import Question
from moot.core.readings import Reading
from moot.debate.agent_config import configure_agents
from moot.debate.agents import Agent, AgentConfig
from moot.debate.context import DebateContext, no_neighbour
from moot.debate.debate import Debate
from moot.debate.protocol import Protocol, registry
from moot.debate.run_debate import run_debate
from moot.debate.views import View, Views
from moot.debate.window import A_MESSAGE, BYTES_A_TOKEN
from moot.models.fluent import Speech, word_reply
from moot.models.scripted import Scripted, ScriptEntry
from moot.runtime.path import CallPath
from moot.studies.task import Chosen

SUM = Question(id="sum", kind="number", text="What is 2+2?", answer="4")
KINDS = (
    SUM,
    Question(id="sky", kind="boolean", text="Is the sky blue?", context="At noon.", answer="true"),
    Question(id="pick", kind="choice", text="Which is even?", choices=("one", "two"), answer="B"),
    Question(id="move", kind="square", text="Where can the rook go?", answer="e4"),
    Question(id="share", kind="math", text="Which share of 12 is 4?", answer=r"\frac{1}{3}"),
    Question(id="open", kind="text", text="What is a debate?"),
)


def kinds_for(name: str) -> list[Question]:
    """A question of every kind; of a protocol that needs a right answer, those that have one."""
    needs = registry.get(name.partition(":")[0]).needs_answer
    return [each for each in KINDS if each.answer is not None or not needs]


def put_behind_gate(held: Transcript, first: int) -> Transcript:
    """The same debate; its turns from this number on are those of a sub-debate "inner"."""
    return Transcript(
        tuple(
            msgspec.structs.replace(event, node="inner")
            if isinstance(event, Turn) and event.id >= first
            else event
            for event in held.events
        )
    )


def ruling(answer: str = "", side: str = "Affirmative") -> str:
    prefers = "Yes" if answer else "No"
    return (
        f'{{"Whether there is a preference": "{prefers}", "Supported Side": "{side}", '
        f'"Reason": "said so", "debate_answer": "{answer}"}}'
    )


def says(call: Call, answer: str = "4", ends: int | None = 1) -> str:
    """A reply in the form that is asked for; who may end a debate does so in round ``ends``."""
    scene = call.scene
    assert scene is not None
    decides = ends is not None and scene.round >= ends
    return word_reply(scene, Speech(answer=answer, decides=decides, reason=f"I am {scene.agent}."))


def settings(protocol: Protocol, model: Model, given: dict[str, Any]) -> dict[str, Any]:
    return protocol.check({"model": model.name, **given})


def staged(name, model, ledger, question=SUM, listen=lambda _: None, **floor: Any) -> Debate:
    """A debate before anyone is seated, for tests that play the protocol themselves."""
    protocol = registry.get(name)
    whole = protocol.read(settings(protocol, model, {}))
    stands = {
        "path": CallPath(ledger),
        "model": lambda _: model,
        "config_of": configure_agents(whole.agents, whole.cast, lambda _: model),
        "pack": protocol.pack(),
        "whole": whole,
    }
    return Debate(question, DebateContext(**stands | floor), listen)


async def hold(
    name: str, model: Model | Callable | Sequence[ScriptEntry], ledger: Ledger, *, question=SUM,
    path=None, number=0, replicate=0, worked=(), neighbour=no_neighbour, **given: Any,
) -> Transcript:  # fmt: skip
    """Hold one debate over a real store; the name may be a variant's, see ``promises``."""
    from support.promises.table import PROMISES

    speaks = model if hasattr(model, "reply") else Scripted(model)
    protocol = registry.get(name.partition(":")[0])
    if name in PROMISES:
        given = {**PROMISES[name].fixed, **given}
    whole = protocol.read(settings(protocol, speaks, given))
    return await run_debate(
        whole,
        question,
        path=path or CallPath(ledger),
        model=lambda _: speaks,
        pack=whole.pack(),
        supplies={"shots": Chosen(defaultdict(lambda: worked))},
        number=number,
        replicate=replicate,
        neighbour=neighbour,
    )


async def hold_all(
    name: str, model: Model, ledger: Ledger, questions: Sequence[Question], **given: Any
) -> list[Transcript]:
    """Hold a debate on every question, all at once and down one path."""
    path = given.pop("path", None) or CallPath(ledger)
    return await asyncio.gather(
        *(
            hold(name, model, ledger, question=question, path=path, number=number, **given)
            for number, question in enumerate(questions)
        )
    )


def stand(*answers: str | None, confidences: Sequence[float | None] = ()) -> Views:
    """Views of agents on seats from 0, with these answers, in turns from 10."""
    model = Scripted([])
    config = AgentConfig(model=model, style="cot", sampling=Sampling())
    views = []
    for place, answer in enumerate(answers):
        seat = Seat(number=place, agent=f"a{place}", role="a", model=model.name)
        sure = confidences[place] if confidences else None
        said = {"seat": place, "text": f"said {answer}", "answer": answer}
        said["reading"] = None if sure is None else Sure(confidence=sure)
        turn = make_turn(place + 10, agent=seat.agent, role="a", model=model.name, **said)
        views.append(View(Agent(seat, f"Agent {place + 1}", config), turn))
    return Views(views)


def make_turn(number: int = 1, **given: Any) -> Turn:
    """A turn of the only agent in the first round, but for what is given."""
    known = {"agent": "agent", "seat": 0, "role": "agent", "step": "answer", "round": 1}
    known |= {"model": "scripted/x", "text": "", "answer": None, "reads": (), "call": ""}
    return Turn(id=number, **known | given)


class Sure(Reading, frozen=True):
    confidence: float


def timeless(transcript: Transcript) -> Transcript:
    """A transcript without what differs from one run to the next."""
    return Transcript(tuple(_timeless(event) for event in transcript.events))


def _timeless(event: Any) -> Any:
    if isinstance(event, Turn):
        return msgspec.structs.replace(event, seconds=0.0, replayed=False)
    if isinstance(event, Closed | Failed):
        return msgspec.structs.replace(event, seconds=0.0)
    return event


def chain(*nodes):
    names = [node["name"] for node in nodes]
    edges = list(zip(names, [*names[1:], "judge"], strict=True))
    return {"nodes": [dict(node) for node in nodes], "edges": [list(edge) for edge in edges]}


QUESTION = msgspec.structs.replace(SUM, text="What is the sum of 2 and 2?")
PADDING = "because " * 40


def marked(call, answer="4"):
    """A reply of some length that says whose it is, of which round and turn."""
    scene = call.scene
    mark = f"<{scene.agent} in {scene.round}, turn {scene.turn}>"
    if scene.reads_as in {"ruling", "decision"}:
        return msgspec.json.encode({"Reason": f"{mark} {PADDING}", "debate_answer": ""}).decode()
    if scene.reads_as == "evaluation":
        return msgspec.json.encode({"Correctness": 0, "Response": f"{mark} {PADDING}"}).decode()
    if scene.reads_as in {"closing", "opinion"}:
        return f"{mark} {PADDING} Decision: Continue debate."
    return f"{mark} {PADDING}\nFinal answer: {answer}"


def size(messages):
    length = sum(len(message.content.encode()) for message in messages)
    return length // BYTES_A_TOKEN + A_MESSAGE * len(messages)


def differing(call):
    """Another answer by each agent in each round; an aggregator's is 4."""
    scene = call.scene
    if scene.role == "aggregator":
        return "Final answer: 4"
    return f"<{scene.agent}, {scene.round}>\nFinal answer: {10 * scene.round + call.draw.seat}"


LONG = {
    "society-of-minds": {"agents": 3, "rounds": 5},
    "multi-persona": {"rounds": 5},
    "debate-moderated": {"rounds": 5},
    "consultancy": {"rounds": 5},
    "agentverse": {"rounds": 5},
    "exchange-of-thought": {"rounds": 5, "stop": "consensus", "topology": "memory"},
    "chateval": {"agents": 3, "rounds": 4},
    "community": {"agents": 3, "rounds": 4},
    "chateval-scored": {"rounds": 4},
    "multi-persona-proposals": {"rounds": 4},
}
"""Protocols whose prompts grow, long enough for that."""


def disagreed(call):
    """As ``marked``, each with an answer of its own, so that nothing ends early."""
    return marked(call, answer=str(call.draw.seat))
