"""Export of runs in the open format: ``moot export RUN --format debate-log``.

What the format has fields for is plain to others; moot's own events stand verbatim beside it, with
their arm, so that an exported run imported again gives the same tables.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from moot import InputError, Transcript, Turn
from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.own_arms import OwnArm
from moot.extend.records import (
    Arm,
    ExportedDebate,
    Outline,
    RunRow,
    StudyRow,
    decode_study,
)


@contextmanager
def write_debate_log(path: Path, _: Outline) -> Iterator[Callable[[ExportedDebate], None]]:
    """Write one debate a line.

    Raises:
        InputError: a question is secret, so that its debates are not to be published.
    """
    studies: dict[int, StudyRow] = {}
    encode = msgspec.json.Encoder().encode
    with path.open("xb") as file:

        def write(debate: ExportedDebate) -> None:
            run = debate.run
            study = studies.get(run.id) or studies.setdefault(run.id, decode_study(run))
            file.write(encode(make_logged(debate, study)) + b"\n")

        yield write


def make_logged(debate: ExportedDebate, study: StudyRow) -> LoggedDebate:
    """Return a debate of a run in the open format.

    Raises:
        InputError: its question is secret.
    """
    row, transcript = debate.row, debate.transcript
    question, opened = transcript.question, transcript.opened
    if question.secret:
        raise InputError(
            f"run {debate.run.key}, question {question.id!r} of {row.dataset}: it is secret, and "
            "what is published in a debate-log is not"
        )
    failed = transcript.failed
    return LoggedDebate(
        id=row.question,
        question=LoggedQuestion(
            text=question.text,
            kind=question.kind,
            choices=question.choices,
            context=question.context or "",
            answer=question.answer,
        ),
        agents=tuple(
            LoggedAgent(name=name, model=seat.model, role=seat.role, answers=seat.debater)
            for seat, name in zip(transcript.seats, name_seats(transcript).values(), strict=True)
        ),
        turns=tuple(list_turns(transcript)),
        dataset=row.dataset,
        method=opened.protocol,
        replicate=row.replicate,
        verdict=_make_verdict(transcript),
        error=failed.words if failed else "",
        settings=opened.settings,
        moot=_describe_arm(debate.run, study, row.arm, transcript),
    )


def name_seats(transcript: Transcript) -> dict[int, str]:
    """Return the name of the agent on each seat; one that several have gets the seat's number."""
    seats = [*transcript.seats]
    names = [seat.agent for seat in seats]
    return {
        seat.number: seat.agent if names.count(seat.agent) == 1 else f"{seat.agent} #{seat.number}"
        for seat in seats
    }


def list_turns(transcript: Transcript) -> Iterator[LoggedTurn]:
    """Yield the turns of a debate. Their numbers are their places; what they read, too."""
    names, places = name_seats(transcript), dict[int, int]()
    for place, turn in enumerate(transcript.turns, 1):
        places[turn.id] = place
        yield LoggedTurn(
            agent=names[turn.seat],
            text=turn.text,
            round=turn.round,
            step=turn.step,
            reads=_list_reads(turn, places),
            answer=turn.answer if turn.stated is None else turn.stated,
            model=turn.model,
            finish=turn.finish if turn.finish != "stop" else "",
            thought=turn.thought,
            prompt_tokens=turn.prompt_tokens,
            completion_tokens=turn.completion_tokens,
            cost=turn.cost,
            seconds=turn.seconds or None,
            votes=turn.votes,
            reading=_describe_reading(turn),
        )


def _list_reads(turn: Turn, places: dict[int, int]) -> tuple[int, ...] | None:
    if not turn.reads_known:
        return None
    return tuple(sorted({places[each] for each in turn.reads if each in places}))


def _describe_reading(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(turn.reading, str_keys=True) or {}
    return found


def _make_verdict(transcript: Transcript) -> LoggedVerdict | None:
    verdict = transcript.verdict
    if verdict is None:
        return None
    ids = [turn.id for turn in transcript.turns]
    turn = ids.index(verdict.turn) + 1 if verdict.turn in ids else None
    deciding = transcript.deciding
    text = "" if deciding is not None and deciding.text == verdict.text else verdict.text
    return LoggedVerdict(answer=verdict.answer, text=text, by=verdict.by, turn=turn)


def _describe_arm(
    run: RunRow, study: StudyRow, name: str, transcript: Transcript
) -> dict[str, Any]:
    opened = transcript.opened
    lost = Arm(name=name, protocol=opened.protocol, settings=opened.settings)
    known = (each for each in enumerate(study.arms) if each[1].name == name)
    number, arm = next(known, (len(study.arms), lost))
    own = OwnArm(
        run=run.key,
        arm=arm,
        number=number,
        baseline=study.baseline,
        simulated=name in study.simulated,
        events=transcript.events,
    )
    found: dict[str, Any] = msgspec.to_builtins(own, str_keys=True)
    return found
