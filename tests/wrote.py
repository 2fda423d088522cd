"""Debates that wrote an essay, as transcripts made by hand, and what they say."""

from moot.core.events import Closed, Failed, Opened, Searched, Seat, Seated, Transcript, Turn
from moot.core.events import Verdict as Ending
from moot.core.passages import Passage
from moot.core.questions import Question

PROPOSITION = "Museums should be free of charge."

POOL = "\n".join(
    f'{{"agent_id": {number}, "description": "{who}", "claim": "{claim}"}}'
    for number, (who, claim) in enumerate(
        [
            ("A curator", "Fees pay for the care of what is shown."),
            ("A taxpayer", "Who never goes should not pay for who does."),
            ("A teacher", "What costs nothing is not prepared for."),
            ("A guard", "Crowds harm what they come to see."),
        ],
        1,
    )
)
CHOICE = "\n".join(
    f'{{"agent_id": {number}, "description": "{who}", "reason": "{why}"}}'
    for number, who, why in [
        (2, "A taxpayer", "speaks for those who pay"),
        (1, "A curator", "knows the accounts"),
        (4, "A guard", "sees the crowd"),
    ]
)
PLAN = (
    "Acknowledgment: a fee keeps some people out\n"
    "1. Fees pay for care.\n   - Repairs cost more each year.\n   - Grants do not keep pace.\n"
    "2. Crowds do harm."
)
ESSAY = (
    "A free door is not a free museum. The house says that “repairs doubled in ten years” [1], "
    "and that “nobody comes twice” [2].\n\nSo let those who come pay."
)
PASSAGES = (
    Passage(1, "notes/costs.md:3", "In our house, repairs doubled in ten years."),
    Passage(2, "visits.txt:1", "Most come once a year."),
)
SETTINGS = {"model": "scripted/house", "stance": "oppose", "team": 3, "rounds": 3, "pool": 4}
SETTINGS |= {"points": 4, "personas": True, "dialogue": "agents", "cast": []}


def turn(number, agent, step, text, *, number_of_round=1, **more):
    """A turn of some agent; its role is its name without the number."""
    given = {"model": "scripted/house", "answer": None, "reads": (), "call": "00", "seat": 0}
    given |= {"prompt_tokens": 20, "completion_tokens": 10, "cost": 0.001, "seconds": 1.5}
    given |= {"id": number, "agent": agent, "step": step, "text": text, "round": number_of_round}
    role = agent.rpartition("-")[0] if agent[-1].isdecimal() else agent
    return Turn(**{**given, "role": role, **more})


def steps(*, pool=POOL, choice=CHOICE, plan=PLAN, essay=ESSAY, rounds=("no", "yes")):
    """Agent, prompt, text and round of each turn of a debate to write."""
    yield "organiser", "personas", pool, 1
    yield "organiser", "select", choice, 1
    for place, stand in enumerate(rounds, 1):
        for member in (1, 2, 3):
            yield f"member-{member}", "discuss", f"So I think.\nSatisfied: {stand}", place
        yield "critic", "challenge", f"And who pays?\nPersuaded: {stand}", place
    yield "planner", "plan", plan, len(rounds) + 1
    yield "writer", "essay", essay, len(rounds) + 1


def transcript(*, searched=PASSAGES, failed="", settings=None, cut=(), keep=None, **said):
    """A debate to write, whole or up to ``keep`` turns."""
    told = list(steps(**said))[:keep]
    turns = [
        turn(number, agent, step, text, number_of_round=place,
             finish="length" if step in cut else "stop",
             answer=(text.strip() or None) if step == "essay" else None)
        for number, (agent, step, text, place) in enumerate(told, 1)
    ]  # fmt: skip
    question = Question(id="museums", kind="text", text=PROPOSITION)
    opened = Opened(
        question=question, protocol="debate-to-write", settings=SETTINGS | (settings or {}),
        pack="00", simulated=True,
    )  # fmt: skip
    agents = dict.fromkeys(each.agent for each in turns)
    seats = [
        Seated(seat=Seat(number=place, agent=agent, role="any", model="scripted/house"))
        for place, agent in enumerate(agents)
    ]
    found = [Searched(query=PROPOSITION, passages=searched)] if searched else []
    if failed or not turns or turns[-1].step != "essay":
        end = Failed(kind="RefusedError", reason=failed or "it would not", seconds=9.0)
    else:
        last = turns[-1]
        verdict = Ending(answer=last.answer, text=last.text, by="essay", turn=last.id)
        end = Closed(verdict=verdict, seconds=9.0)
    return Transcript((opened, *seats, *turns[:-2], *found, *turns[-2:], end))
