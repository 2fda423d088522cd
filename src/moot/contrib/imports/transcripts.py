"""Logged debates as transcripts: every turn, who read whom, and answers by moot's own reader.

What a log does not say stays unknown: tokens, prices, models, who read whom. Where it states no
round, a turn's round is its number among its agent's turns. Where it states no verdict, most votes
of each agent's last answer decide; in a tie, those of the agent that spoke first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from moot import Event, Question, Transcript, Verdict, decide, extract
from moot.contrib.imports.debate_log import LoggedAgent, LoggedDebate, LoggedVerdict
from moot.contrib.imports.logged_questions import QuestionKind, make_question, read_stated
from moot.contrib.imports.who_read import TurnReads, find_reads
from moot.extend.records import Closed, Failed, decode_transcript
from moot.extend.words import replace_surrogates

RECORDED = "recorded"
"""The protocol of a debate whose method moot does not have."""
_FINISHES = frozenset({"stop", "length", "filter"})
_SIZES = frozenset({"agents", "rounds", "samples"})
_READ = frozenset(
    (
        *("nodes", "edges", "graph", "inner", "cast", "opening", "distance", "squares", "put"),
        *("tools", "sources", "evidence", "few_shot", "convincing", "agreement", "level"),
        *("free_judge", "style", "max_tokens", "until", "shots", "examples", "documents"),
    )
)
"""Settings by which analyses know what moot's own debates have; a log's mean something else."""


def clean_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a method's settings as an arm has them: texts, numbers and truth values.

    One that has the name of a setting of moot's with another meaning gets ``log_`` before it.
    """
    return {
        f"log_{name}"
        if name in _READ or (name in _SIZES and type(value) is not int)
        else name: value
        for name, value in settings.items()
        if isinstance(value, str | int | float) and (name != "model" or isinstance(value, str))
    }


def number_rounds(debate: LoggedDebate) -> list[int]:
    """Return the round of each turn; where the log states none, its number among its agent's."""
    spoken, rounds = Counter[str](), list[int]()
    for turn in debate.turns:
        spoken[turn.agent] += 1
        rounds.append(turn.round or spoken[turn.agent])
    return rounds


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
    debater: str = "debater",
    replicate: int | None = None,
) -> ImportedDebate:
    """Return the transcript of a logged debate.

    Args:
        debate: as the log has it.
        found: what the questions of its dataset are.
        source: the name of the log.
        protocol: the name of its method.
        debater: what the method calls an agent whose role is a debater's.
        replicate: the repetition of its question; the log's own if not given.

    Raises:
        DamagedError: moot's own events in it, or its values, are no transcript.
    """
    if "events" in debate.moot:
        return ImportedDebate(_decode(debate.moot["events"], debate.place))
    if debater != "debater":
        agents = [_rename_role(agent, debater) for agent in debate.agents]
        debate = msgspec.structs.replace(debate, agents=tuple(agents))
    question, odd = make_question(debate.question, debate.id, found)
    reads = find_reads(debate)
    opened = {
        "event": "opened",
        "question": question,
        "protocol": protocol,
        "settings": clean_settings(debate.settings),
        "pack": "",
        "replicate": debate.replicate if replicate is None else replicate,
        "format": 2,
        "source": _describe_source(debate, source),
    }
    events = [opened, *_seat_agents(debate.agents), *_list_turns(debate, question, reads)]
    left_open = Closed(verdict=Verdict(answer=None, by="majority"))
    transcript = _decode([*events, left_open], debate.place)
    unknown = sum(not each.is_known for each in reads)
    return ImportedDebate(_close(transcript, debate), odd, unknown)


def _rename_role(agent: LoggedAgent, debater: str) -> LoggedAgent:
    is_debater = agent.role == "debater"
    return msgspec.structs.replace(agent, role=debater) if is_debater else agent


def _decode(events: Sequence[Any], place: str) -> Transcript:
    """Return a transcript of its events as JSON has them. Raises ``DamagedError``."""
    try:
        encoded = msgspec.json.encode({"events": events})
    except UnicodeEncodeError:  # half a character, which no JSON has
        encoded = msgspec.json.encode(_clean(msgspec.to_builtins({"events": events})))
    return decode_transcript(encoded, place)


def _clean(value: Any) -> Any:  # noqa: ANN401 -- any JSON
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list | tuple) else value


def read_answers(
    debate: LoggedDebate, question: Question, reads: Sequence[TurnReads]
) -> dict[int, str | None]:
    """Return the answer of each turn by moot's reader, by the turn's number; None for no answer."""
    answers = dict[int, str | None]()
    for number, (logged, read) in enumerate(zip(debate.turns, reads, strict=True), 1):
        answers[number] = None
        if logged.votes:
            heard = {debate.turns[each - 1].agent: answers[each] for each in read.turns}
            heard.pop(logged.agent, None)
            finished = logged.finish != "length"
            answers[number] = extract(logged.text, question, finished, heard or None)
    return answers


def _list_turns(
    debate: LoggedDebate, question: Question, reads: Sequence[TurnReads]
) -> Iterator[dict[str, Any]]:
    """Yield the turns of a debate as JSON has them, each with its answer by moot's reader."""
    seats = {agent.name: number for number, agent in enumerate(debate.agents)}
    rounds, answers = number_rounds(debate), read_answers(debate, question, reads)
    for number, (logged, read) in enumerate(zip(debate.turns, reads, strict=True), 1):
        agent = debate.agents[seats[logged.agent]]
        yield {
            "event": "turn",
            "id": number,
            "agent": agent.name,
            "seat": seats[agent.name],
            "role": agent.role,
            "step": logged.step or "reply",
            "round": rounds[number - 1],
            "model": logged.model or agent.model,
            "text": logged.text,
            "answer": answers[number],
            "reads": read.turns,
            "call": "",
            "finish": _read_finish(logged.finish),
            "prompt_tokens": logged.prompt_tokens,
            "completion_tokens": logged.completion_tokens,
            "seconds": logged.seconds or 0.0,
            "cost": logged.cost,
            "thought": logged.thought,
            "parser": "answer" if logged.votes else "text",
            "reading": logged.reading or None,
            "votes": logged.votes,
            "stated": logged.answer,
            "reads_known": read.is_known,
        }


def _read_finish(stated: str) -> str:
    return stated if stated in _FINISHES else "other" if stated else "stop"


def _seat_agents(agents: Sequence[LoggedAgent]) -> Iterator[dict[str, Any]]:
    for number, agent in enumerate(agents):
        seat = {"number": number, "agent": agent.name, "role": agent.role, "model": agent.model}
        yield {"event": "seated", "seat": seat | {"debater": agent.answers}}


def _describe_source(debate: LoggedDebate, name: str) -> dict[str, Any]:
    verdict = debate.verdict or LoggedVerdict()
    return {
        "name": name,
        "place": debate.place,
        "answer": debate.question.answer,
        "verdict": verdict.answer,
        "correct": verdict.correct,
        "labels": debate.labels,
    }


def _close(transcript: Transcript, debate: LoggedDebate) -> Transcript:
    """Return the transcript with its end: the log's, else the vote of the last answers."""
    end: Event
    if debate.error:
        end = Failed(kind="failed", reason=debate.error)
    else:
        verdict = debate.verdict and _read_verdict(debate.verdict, transcript)
        end = Closed(verdict=verdict or decide(transcript, "plurality"))
    return Transcript((*transcript.events[:-1], end))


def _read_verdict(stated: LoggedVerdict, transcript: Transcript) -> Verdict | None:
    """Return the verdict that a log states; None where it states none."""
    question = transcript.question
    deciding = next((turn for turn in transcript.turns if turn.id == stated.turn), None)
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
    turn = deciding.id if deciding else None
    return Verdict(answer=answer, text=text, by=stated.by or "the log", turn=turn)
