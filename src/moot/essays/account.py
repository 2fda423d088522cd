"""What an essay came to, from the transcript of its debate alone."""

from collections.abc import Sequence

from moot.core.answer import Answer
from moot.core.essays import Persona, Plan
from moot.core.events import Transcript, Turn
from moot.debate.evidence import checked
from moot.essays.outcomes import outcomes
from moot.essays.reread import (
    newest,
    persona_of,
    pool_in,
    searched,
    settled,
    team_in,
    told,
)
from moot.essays.written import Remark, Written

APART = ("personas", "select", "plan")
"""The prompts whose replies, like the essay's, have a place of their own in what was written."""


_SHARED = [name for name in Remark.__struct_fields__ if name in Turn.__struct_fields__]
"""What a remark has of its turn."""


def written(transcript: Transcript, run: str = "") -> Written:
    """What the transcript of a protocol that writes essays came to.

    Args:
        transcript: the debate; one that failed or was stopped tells how far it came.
        run: under which ``moot show`` finds it.
    """
    answer = Answer(transcript=transcript, run=run)
    planned = newest(transcript, "plan")
    wrote = transcript.deciding
    pool, members = pool_in(transcript), team_in(transcript)
    passages = searched(transcript)
    return Written(
        proposition=transcript.question.text,
        stance=transcript.opened.settings.get("stance", ""),
        protocol=answer.protocol,
        essay=answer.answer,
        cut=wrote is not None and wrote.finish == "length",
        pool=pool,
        personas=members,
        dialogue=_dialogue(transcript, members),
        plan=told(planned, transcript.question, Plan) if planned else None,
        plan_text=planned.text if planned else "",
        passages=passages,
        quotes=checked(answer.answer or "", passages),
        outcomes=tuple(outcomes(transcript)),
        settings=answer.settings,
        calls=answer.calls,
        usage=answer.usage,
        cost=answer.cost,
        seconds=answer.seconds,
        failed=answer.failed,
        simulated=answer.simulated,
        models=tuple(dict.fromkeys(turn.model for turn in transcript.turns)),
        run=run,
    )


def _dialogue(transcript: Transcript, team: Sequence[Persona]) -> tuple[Remark, ...]:
    """What was said on the way, with the persona of who said it."""
    wrote = transcript.deciding
    return tuple(
        Remark(
            **{name: getattr(turn, name) for name in _SHARED},
            cached=turn.cached_tokens,
            thought_only=turn.is_thought_only,
            persona=persona_of(turn, team),
            settled=settled(turn, transcript.question),
        )
        for turn in transcript.turns
        if turn.step not in APART and turn is not wrote
    )
