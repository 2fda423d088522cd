"""What ``moot.write`` gives back: one argued essay, with how it came about and its price."""

from typing import Any

import msgspec

from moot.core.answer import Usage
from moot.core.essays import Passage, Persona, Plan, Quote


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """One turn on the way to an essay.

    Attributes:
        id: of the turn, from 1.
        reads: ids of the turns that the agent had in its prompt.
        cached: prompt tokens that the endpoint served from its cache.
        replayed: True when the reply came from the ledger and cost nothing this time.
        node: the node of a network that it belongs to; empty where there is no network.
        removed: messages left out of the prompt because it did not fit the context window.
        order: the original places of the choices as this turn was shown them; empty for an essay.
        thought: the hidden thought of the model, where the endpoint shows it.
        reasoning_tokens: the completion tokens that are hidden thought; None where unknown.
        thought_only: True when all tokens that the reply was allowed went into thought.
        step: the prompt that was put, e.g. ``"discuss"`` or ``"challenge"``.
        persona: who speaks, in the words of the pool; empty for who has no persona.
        settled: whether a member says that it is satisfied, or the critic that it is persuaded;
            None where neither can be read, which counts as not yet, and for every other turn.
    """

    id: int
    agent: str
    role: str
    round: int
    model: str
    answer: str | None
    text: str
    reads: tuple[int, ...]
    prompt_tokens: int | None
    completion_tokens: int | None
    cached: int
    seconds: float
    cost: float | None
    retries: int
    replayed: bool
    node: str
    removed: int
    order: tuple[int, ...]
    thought: str = ""
    reasoning_tokens: int | None = None
    thought_only: bool = False
    step: str
    persona: str = ""
    settled: bool | None = None


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """An argued essay.

    Attributes:
        proposition: what is argued over.
        stance: ``"oppose"`` or ``"support"``.
        essay: its text; None when none was written.
        cut: whether the essay ended because a reply must not be longer.
        pool: the personas that were found; empty where none are asked for or none can be read.
        personas: the team, each with why it was chosen; empty where nobody has a persona.
        dialogue: what was said on the way to the essay, plan and choice of personas apart.
        plan: what the essay was to say; None where none is made or it cannot be read.
        plan_text: the plan in the words of who made it; empty where none is made.
        passages: of the user's documents, those that planner and writer had in front of them.
        quotes: every quotation of them in the essay, and whether it is one.
        outcomes: a sentence for each trouble on the way that moot has a stated way out of.
        settings: every setting in force, defaults included.
        calls: replies, whether paid for or replayed.
        cost: in US dollars, as if nothing had been replayed; None when any price is unknown.
        seconds: wall time.
        failed: None, or why it did not come to its end.
        simulated: True when any agent is no language model.
        models: of everybody who spoke, each once.
        run: under which ``moot show`` finds the transcript again.
    """

    proposition: str
    stance: str
    protocol: str
    essay: str | None
    cut: bool
    pool: tuple[Persona, ...]
    personas: tuple[Persona, ...]
    dialogue: tuple[Remark, ...]
    plan: Plan | None
    plan_text: str
    passages: tuple[Passage, ...]
    quotes: tuple[Quote, ...]
    outcomes: tuple[str, ...]
    settings: dict[str, Any]
    calls: int
    usage: Usage
    cost: float | None
    seconds: float
    failed: str | None
    simulated: bool
    models: tuple[str, ...]
    run: str
