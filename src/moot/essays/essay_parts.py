"""An essay with how it came about: what a terminal, a page and Markdown say of it alike."""

from typing import NamedTuple

from moot.core.passages import Quote
from moot.core.plain import count, dollars, duration, line, many, plain
from moot.debate.evidence import quoted
from moot.essays.persona_lists import Persona
from moot.essays.team import label
from moot.essays.written import Remark, Written

SIMULATED = "SIMULATED. No language model was asked."
MISSING = "NOT FOUND"
"""What a quotation is marked with that does not stand in the passage it names."""
STANDS = {"discuss": "satisfied", "challenge": "persuaded"}
"""What who speaks says of itself at the end, by the prompt it was put."""


class Piece(NamedTuple):
    """A stretch of an essay; a quotation it is, if it is one."""

    text: str
    quote: Quote | None = None


def heading(written: Written) -> str:
    """Which side the essay takes, how it was made and by which model."""
    side = "against it" if written.stance == "oppose" else "in its favour"
    models = written.models or (written.settings.get("model", ""),)
    return plain(" · ".join(filter(None, [side, written.protocol, *models])))


def price(written: Written) -> str:
    """Calls, tokens, money and time, in one line."""
    usage = written.usage
    told = usage.prompt_tokens is not None and usage.completion_tokens is not None
    tokens = f"{count(usage.prompt_tokens)} + {many(usage.completion_tokens, 'token')}"
    cost = "cost unknown" if written.cost is None else dollars(written.cost)
    parts = [many(written.calls, "call"), tokens if told else "tokens unknown"]
    return ", ".join([*parts, cost, duration(written.seconds)])


def ended(written: Written) -> str:
    """Why there is no essay; empty where there is one."""
    if written.failed:
        return f"failed: {written.failed}"
    return "" if written.essay else "no essay: the reply that was to be one is empty"


def warnings(written: Written) -> list[str]:
    """What went otherwise than it should, quotations that are none included."""
    missing = sum(not quote.found for quote in written.quotes)
    is_are = "does not stand" if missing == 1 else "do not stand"
    told = f"{many(missing, 'quotation')} {is_are} in the evidence word for word."
    return [*([told] if missing else []), *written.outcomes]


def aside(written: Written) -> list[Persona]:
    """The personas of the pool that are not in the team."""
    taken = {(each.description, each.claim) for each in written.personas}
    return [each for each in written.pool if (each.description, each.claim) not in taken]


def speaker(remark: Remark) -> str:
    """Who speaks: what the others call it, with its persona where it has one."""
    known = name_agent(remark.role, remark.agent)
    return f"{known}: {line(remark.persona)}" if remark.persona else known


def name_agent(role: str, agent: str) -> str:
    """What the others call an agent: a member of the team by its label, else its name."""
    if role != "member":
        return line(agent)
    number = agent.rpartition("-")[2]  # none where the team has one member
    return label(int(number) - 1 if number.isdecimal() else 0)


def standing(remark: Remark) -> str:
    """Whether a member is satisfied or the critic persuaded, in words; empty for other turns."""
    word = STANDS.get(remark.step)
    if word is None:
        return ""
    return {True: word, False: f"not yet {word}", None: f"does not say whether {word}"}[
        remark.settled
    ]


def discussed(written: Written) -> str:
    """What the way to the essay is called: a discussion, or drafts with remarks on them."""
    steps = {remark.step for remark in written.dialogue}
    return "Discussion" if steps & {*STANDS, "dialogue"} else "Drafts and remarks"


def begun(written: Written) -> dict[int, int]:
    """By the id of the first turn of each round of a discussion, the round's number."""
    first: dict[int, int] = {}
    for remark in written.dialogue:
        if remark.step in STANDS:
            first.setdefault(remark.round, remark.id)
    return {turn: number for number, turn in first.items()}


def pieces(written: Written) -> list[Piece]:
    """The essay, taken apart at its quotations."""
    essay, found, end = written.essay or "", [], 0
    for (at, _), quote in zip(quoted(essay), written.quotes, strict=False):
        found += [Piece(essay[end : at.start]), Piece(essay[at], quote)]
        end = at.stop
    return [piece for piece in [*found, Piece(essay[end:])] if piece.text]


def cited(quote: Quote) -> str:
    """A quotation with the number it gives."""
    return f"“{quote.text}” [{quote.passage}]"
