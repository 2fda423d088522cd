"""The turns of an essay's debate: what each says, who says it, and what went otherwise.

None of the troubles stops an essay, and only the call for the pool is repeated for one.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from msgspec.structs import replace

from moot import Question, Reading, Transcript, Turn
from moot.contrib.essays.draft import read_personas_given
from moot.contrib.essays.essay_brief import own_points
from moot.contrib.essays.essay_length import is_off, length_error, length_unit
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.own_people import list_people
from moot.contrib.essays.persona_lists import Persona, Personas, team_of
from moot.contrib.essays.plan_outline import EssayPlan, read_plan
from moot.contrib.essays.quotation_outcomes import describe_codings
from moot.contrib.essays.quoting.quotation_check import check_quotations, drop_struck
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.standing import SpeakerStanding
from moot.contrib.essays.text_measures import words
from moot.extend.protocols import get_reading
from moot.extend.records import Passage
from moot.extend.words import format_count, format_things, on_one_line

R = TypeVar("R", bound=Reading)

_PARSERS = {
    "personas": "personas",
    "select": "selection",
    "discuss": "discussion",
    "challenge": "challenge",
    "plan": "plan",
}
"""The parser of the replies to each prompt, for transcripts that record no readings."""


def reading_of(turn: Turn, question: Question, kind: type[R]) -> R | None:
    """Return the reading of this kind in a turn, beside its answer; None if it has none."""
    return get_reading(turn, question, kind, _PARSERS[turn.step])


def turns_of(transcript: Transcript, *steps: str) -> list[Turn]:
    """Return the turns that reply to these prompts, in order."""
    return [turn for turn in transcript.turns if turn.step in steps]


def last_turn(transcript: Transcript, step: str) -> Turn | None:
    """Return the last turn that replies to this prompt; None without one."""
    return next(reversed(turns_of(transcript, step)), None)


def personas_in(transcript: Transcript, step: str) -> tuple[Persona, ...]:
    """Return the personas that a reply to this prompt names, of several replies the most."""
    read = (reading_of(turn, transcript.question, Personas) for turn in turns_of(transcript, step))
    return max((each.personas for each in read if each), key=len, default=())


def pool_in(transcript: Transcript) -> tuple[Persona, ...]:
    """Return the pool of personas; empty where none is asked for, or none can be read."""
    if given := _read_given(transcript, "personas"):
        return given
    return personas_in(transcript, "personas")[: EssaySettings.of(transcript).pool]


def team_in(transcript: Transcript) -> tuple[Persona, ...]:
    """Return the personas of the team, each with why it was chosen; empty before the choice.

    People whom the user names are the team.
    """
    if named := list_people(EssaySettings.of(transcript).people):
        return named
    if not turns_of(transcript, "select"):
        return ()
    if given := _read_given(transcript, "selection"):
        return given
    size = EssaySettings.of(transcript).team
    return team_of(pool_in(transcript), personas_in(transcript, "select"), size)


def _read_given(transcript: Transcript, stage: str) -> tuple[Persona, ...]:
    """Return the personas of a stage that the draft has; none where it was asked."""
    return read_personas_given(EssaySettings.of(transcript).given.get(stage), stage)


def is_settled(turn: Turn, question: Question) -> bool | None:
    """Return whether a member is satisfied, or the critic persuaded; None where it does not say."""
    if turn.step not in ("discuss", "challenge"):
        return None
    standing = reading_of(turn, question, SpeakerStanding)
    return standing.settled if standing else None


def persona_of(turn: Turn, team: Sequence[Persona]) -> str:
    """Return the description of a member's persona; empty for other agents."""
    if turn.role != "member":
        return ""
    place = member_place(turn.agent)
    return team[place].description if place < len(team) else ""


def member_place(agent: str) -> int:
    """Return the place of a member in its team, from 0; a team of one has no numbers."""
    number = agent.rpartition("-")[2]
    return int(number) - 1 if number.isdecimal() else 0


NAMES = {"selection": "team", "debate": "discussion"}
"""The words for a stage, where they differ from its name."""
LEAST_POOL = 5
"""Personas that are asked for at least, unless the pool is smaller."""


def passages_of(transcript: Transcript) -> tuple[Passage, ...]:
    """Return the passages that planner and writer were shown."""
    shown = [each.passages for each in transcript.searches if not each.unshown]
    return shown[-1] if shown else ()


def unshown_of(transcript: Transcript) -> tuple[Passage, ...]:
    """Return the passages that were shown to nobody, in which something stands that is quoted."""
    return tuple(one for each in transcript.searches if each.unshown for one in each.passages)


def documents_of(transcript: Transcript) -> tuple[dict[str, Any], ...]:
    """Return the details that the documents of the passages state, each document once."""
    rows = [row for each in transcript.searches for row in each.documents or ()]
    return tuple({row["document"]: row for row in rows}.values())


def check_essay(transcript: Transcript, essay: str | None) -> tuple[Quote, ...]:
    """Return the quotations and figures of an essay that a debate wrote, and what came of each."""
    known = [transcript.question.text]
    strict = EssaySettings.of(transcript).strict
    shown, unshown = passages_of(transcript), unshown_of(transcript)
    return check_quotations(
        essay or "", shown, known, strict=strict, unshown=unshown, unsourced=bool(shown)
    )


def list_outcomes(transcript: Transcript, quotes: Sequence[Quote]) -> Iterator[str]:
    """Yield a sentence for each trouble that happened, in the order of the steps.

    Args:
        transcript: the debate.
        quotes: the quotations and figures of its essay.
    """
    asked = EssaySettings.of(transcript)
    if given := [NAMES.get(stage, stage) for stage in asked.given]:
        is_own = "essay" in asked.given and not asked.revise
        rest = "Its text was checked again" if is_own else "The rest follows from that"
        yield f"Taken from the draft and not asked: {', '.join(given)}. {rest}."
    yield from _of_personas(transcript)
    yield from _of_discussion(transcript)
    if any(not search.passages for search in transcript.searches):
        yield "Nothing was found in the documents: there was no evidence to quote."
    if unread := [name for search in transcript.searches for name in search.unread]:
        names = ", ".join(on_one_line(name) for name in dict.fromkeys(unread))
        yield f"Not searched, for no reader knows the ending of their names: {names}."
    yield from _of_documents(transcript)
    plan = last_turn(transcript, "plan")
    if plan and reading_of(plan, transcript.question, EssayPlan) is None:
        yield (
            "The plan could not be read as one: the essay was to be written from its words as "
            "they are."
        )
    yield from _of_outline(transcript)
    yield from _of_length(transcript, quotes)
    yield from _of_chatter(transcript)
    if last_turn(transcript, "mend"):
        yield "The writer was asked once to mend what it quotes and what does not stand there."
    verdict = transcript.verdict
    if struck := sum(quote.state == "struck" for quote in quotes):
        yield f"Struck through, since not in the documents: {struck} of its quotations and figures."
    if verdict and verdict.answer is None and verdict.by != "until":
        yield "The reply that was to be the essay is empty: there is no essay."
    cut = dict.fromkeys(turn.step for turn in transcript.turns if turn.finish == "length")
    if cut:
        yield f"Cut off at the longest reply there may be (max_tokens): {', '.join(cut)}."


def _of_documents(transcript: Transcript) -> Iterator[str]:
    """Yield what documents have and nobody read: parts of them, or all that stands in them."""
    left = [each for search in transcript.searches for each in search.left_out or ()]
    if left:
        yield f"Left out of the documents: {'; '.join(map(on_one_line, dict.fromkeys(left)))}."
    yield from describe_codings(documents_of(transcript))
    unused = [search.unused or () for search in transcript.searches if not search.unshown]
    nobody = [name for name in dict.fromkeys(chain(*unused)) if all(name in e for e in unused)]
    if nobody:
        names = ", ".join(map(on_one_line, nobody))
        yield f"No passage was found in, so that nobody read: {names}."


def _of_outline(transcript: Transcript) -> Iterator[str]:
    """Yield that the plan has fewer points than the user's outline, where it has."""
    outline = EssaySettings.of(transcript).outline
    planned = last_turn(transcript, "plan")
    plan = reading_of(planned, transcript.question, EssayPlan) if planned else None
    if outline and plan:
        read = read_plan(outline)
        own = len(read.points) if read else len(own_points(outline))
        if len(plan.points) < own:
            yield (
                f"The outline has {format_things(own, 'point')}, and the plan "
                f"{format_count(len(plan.points))}: look whether some are left out."
            )


def _of_length(transcript: Transcript, quotes: Sequence[Quote]) -> Iterator[str]:
    """Yield whether the writer was asked for another length, and how far off the essay is."""
    asked, verdict = EssaySettings.of(transcript).words, transcript.verdict
    if last_turn(transcript, "fit"):
        yield "The writer was asked once to bring the essay to the length that was asked for."
    essay = drop_struck((verdict.answer if verdict else None) or "", quotes)
    if asked and words(essay) and is_off(essay, asked):
        off = length_error(essay, asked)
        yield (
            f"The essay has {format_things(words(essay), length_unit(essay))}, {abs(off):.0%} "
            f"{'more' if off > 0 else 'fewer'} than the {format_count(asked)} asked for."
        )


def _of_chatter(transcript: Transcript) -> Iterator[str]:
    """Yield how much of the reply is no part of the essay, where something is not."""
    wrote = transcript.deciding
    left = words(wrote.text) - words(wrote.answer) if wrote and wrote.answer else 0
    if wrote and left > 0 and not wrote.is_given:
        yield (
            f"Left out, as no part of the essay: {format_things(left, 'word')} of the reply, which "
            "announce it, follow it or name its parts. The transcript has them."
        )


def _of_personas(transcript: Transcript) -> Iterator[str]:
    size = EssaySettings.of(transcript).team
    pool, team = pool_in(transcript), team_in(transcript)
    asked_for, chosen = last_turn(transcript, "personas"), last_turn(transcript, "select")
    if asked_for is not None and not asked_for.is_given:
        yield from _of_pool(transcript, pool)
    if not pool or chosen is None or chosen.is_given:
        return
    if len(team) < size:
        yield f"The team is smaller than asked for: {len(team)} of {size}."
    named = _count_chosen(transcript)
    if not named:
        yield "The choice of the team could not be read: it was filled from the pool in its order."
    elif named < len(team):
        yield (
            f"The choice of the team names {named} of {len(team)}: it was filled up from the pool "
            "in its order."
        )


def _of_pool(transcript: Transcript, pool: Sequence[Persona]) -> Iterator[str]:
    most = EssaySettings.of(transcript).pool
    times = len(turns_of(transcript, "personas"))
    if times > 1:
        yield f"The pool was asked for {times} times: it had fewer personas than the team needs."
    if not pool:
        yield "No persona could be read: the team debated without personas."
        return
    least = min(most, LEAST_POOL)
    if len(pool) < least:
        asked = str(most) if most == least else f"{least} to {most}"
        yield f"Of {asked} personas asked for, {len(pool)} could be read."


def _count_chosen(transcript: Transcript) -> int:
    """Return how many of the team were named in the choice; the others fill it up."""
    named = [replace(each, reason="named") for each in personas_in(transcript, "select")]
    team = team_of(pool_in(transcript), named, EssaySettings.of(transcript).team)
    return sum(each.reason == "named" for each in team)


def _of_discussion(transcript: Transcript) -> Iterator[str]:
    turns = turns_of(transcript, "discuss", "challenge")
    if not turns or turns[-1].is_given:
        return
    stands = [is_settled(turn, transcript.question) for turn in turns]
    if unread := stands.count(None):
        yield (
            f"Whether it is satisfied or persuaded could not be read in {unread} of {len(turns)} "
            "turns of the discussion: it counted as not yet."
        )
    last = [
        (turn.role, stand)
        for turn, stand in zip(turns, stands, strict=True)
        if turn.round == turns[-1].round
    ]
    if last_turn(transcript, "plan") is None:
        return
    open_ = [role for role, stand in last if not stand]
    most = EssaySettings.of(transcript).rounds
    limit = "1 round" if most == 1 else f"{most} rounds"
    if "critic" in open_:
        yield f"The critic was not persuaded: the debate ended at its limit of {limit}."
    elif open_:
        yield f"Not every member was satisfied: the debate ended at its limit of {limit}."
