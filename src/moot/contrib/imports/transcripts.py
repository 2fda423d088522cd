"""Logged debates as transcripts: every turn, who read whom, and answers by moot's own reader.

What a log does not say stays unknown: tokens, prices, models, who read whom. Where it states no
round, a turn's round is its number among its agent's turns. Where it states no verdict, most votes
of each agent's last answer decide, the earlier agent in a tie.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from moot import Event, Question, Transcript, Turn, Verdict, decide, extract
from moot.contrib.imports.debate_log import LoggedAgent, LoggedDebate, LoggedTurn, LoggedVerdict
from moot.contrib.imports.logged_questions import (
    QuestionKind,
    list_answers,
    make_question,
    read_stated,
)
from moot.contrib.imports.who_read import TurnReads, find_reads
from moot.extend.records import Closed, Failed, LogSource, Opened, Seated, decode_transcript

RECORDED = "recorded"
"""The protocol of a debate whose method moot does not have."""
_FINISHES = frozenset({"stop", "length", "filter"})


class ImportedDebate(NamedTuple):
    """A debate of a log as a transcript, and what is to be said of it.

    Attributes:
        transcript: of the debate.
        odd: the right answer as the log states it, where it is none of the question's kind.
        unknown_reads: turns of which the log does not show what their agents read.
    """

    transcript: Transcript
    odd: str = ""
    unknown_reads: int = 0


def make_transcript(
    debate: LoggedDebate,
    found: QuestionKind,
    *,
    source: str,
    protocol: str = RECORDED,
    replicate: int | None = None,
) -> ImportedDebate:
    """Return the transcript of a logged debate.

    Args:
        debate: as the log has it.
        found: what the questions of its dataset are.
        source: the name of the log.
        protocol: the name of its method.
        replicate: the repetition of its question; the log's own if not given.

    Raises:
        InputError: moot's own events in it are no transcript.
        DamagedError: the same.
    """
    if "events" in debate.moot:
        events = msgspec.json.encode({"events": debate.moot["events"]})
        return ImportedDebate(decode_transcript(events, f"the events of {debate.place}"))
    question, odd = make_question(debate.question, debate.id, found)
    reads = find_reads(debate)
    turns = make_turns(debate, question, reads)
    opened = Opened(
        question=question,
        protocol=protocol,
        settings=debate.settings,
        pack="",
        replicate=debate.replicate if replicate is None else replicate,
        format=2,
        source=_describe_source(debate, source),
    )
    events: list[Event] = [opened, *_seat_agents(debate.agents), *turns]
    unknown = sum(not each.is_known for each in reads)
    return ImportedDebate(_close(debate, question, events), odd, unknown)


def make_turns(
    debate: LoggedDebate, question: Question, reads: Sequence[TurnReads]
) -> list[Turn]:
    """Return the turns of a debate, each with its answer by moot's reader."""
    seats = {agent.name: number for number, agent in enumerate(debate.agents)}
    spoken, answers = Counter[str](), dict[int, str | None]()
    turns = list[Turn]()
    for number, (logged, read) in enumerate(zip(debate.turns, reads, strict=True), 1):
        agent = debate.agents[seats[logged.agent]]
        spoken[agent.name] += 1
        heard = {
            debate.turns[each - 1].agent: answers[each]
            for each in read.turns
            if debate.turns[each - 1].agent != agent.name
        }
        answers[number] = _read_answer(logged, question, heard)
        turns.append(
            Turn(
                id=number,
                agent=agent.name,
                seat=seats[agent.name],
                role=agent.role,
                step=logged.step or "reply",
                round=logged.round or spoken[agent.name],
                model=logged.model or agent.model,
                text=logged.text,
                answer=answers[number],
                reads=read.turns,
                call="",
                finish=_read_finish(logged.finish),
                prompt_tokens=logged.prompt_tokens,
                completion_tokens=logged.completion_tokens,
                seconds=logged.seconds or 0.0,
                cost=logged.cost,
                thought=logged.thought,
                parser="answer" if logged.votes else "text",
                votes=logged.votes,
                stated=logged.answer,
            )
        )
    return turns


def _read_answer(
    turn: LoggedTurn, question: Question, heard: Mapping[str, str | None]
) -> str | None:
    if not turn.votes:
        return None
    return extract(turn.text, question, turn.finish != "length", heard or None)


def _read_finish(stated: str) -> Any:  # noqa: ANN401 -- one of the names of ``Turn.finish``
    return stated if stated in _FINISHES else "other" if stated else "stop"


def _seat_agents(agents: Sequence[LoggedAgent]) -> list[Seated]:
    return [
        Seated.make(number, agent.name, agent.role, agent.model, debater=agent.answers)
        for number, agent in enumerate(agents)
    ]


def _describe_source(debate: LoggedDebate, name: str) -> LogSource:
    answers, verdict = list_answers(debate.question), debate.verdict or LoggedVerdict()
    return LogSource(
        name=name,
        place=debate.place,
        answer=answers if len(answers) > 1 else answers[0] if answers else None,
        verdict=verdict.answer,
        correct=verdict.correct,
    )


def _close(debate: LoggedDebate, question: Question, events: list[Event]) -> Transcript:
    """Return the transcript with its end: the log's, else the vote of the last answers."""
    if debate.error:
        return Transcript((*events, Failed(kind="failed", reason=debate.error)))
    turns = [each for each in events if isinstance(each, Turn)]
    verdict = debate.verdict and _read_verdict(debate.verdict, question, turns)
    if verdict is None:
        left_open = Closed(verdict=Verdict(answer=None, by="majority"))
        verdict = decide(Transcript((*events, left_open)), "plurality")
    return Transcript((*events, Closed(verdict=verdict)))


def _read_verdict(
    stated: LoggedVerdict, question: Question, turns: Sequence[Turn]
) -> Verdict | None:
    """Return the verdict that a log states; None where it states none."""
    deciding = next((turn for turn in turns if turn.id == stated.turn), None)
    text = stated.text or (deciding.text if deciding else stated.answer or "")
    if stated.answer is not None:
        answer = read_stated(stated.answer, question.kind, question.choices)
        answer = extract(stated.answer, question) if answer is None else answer
    elif deciding is not None:
        answer = deciding.answer
    elif stated.text:
        answer = extract(stated.text, question)
    else:
        return None
    return Verdict(answer=answer, text=text, by=stated.by or "the log", turn=stated.turn)
