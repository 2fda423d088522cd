"""A debate as a sample of an Inspect log.

The format is the one of ``inspect_ai.log.EvalSample``, version 2 of the logs of inspect_ai 0.3.
"""

from collections.abc import Container
from hashlib import blake2b

import msgspec

from moot import Question, Turn
from moot.contrib.inspect.inspect_events import Json, TurnTimes, list_events
from moot.extend.records import ExportedDebate, list_unread, tell_by

_STOP: dict[str, str] = {
    "stop": "stop",
    "length": "max_tokens",
    "filter": "content_filter",
    "other": "unknown",
}
_SUMMARY = (
    "id",
    "epoch",
    "choices",
    "target",
    "scores",
    "model_usage",
    "role_usage",
    "started_at",
    "completed_at",
    "total_time",
    "working_time",
    "uuid",
)
TIMES = "reconstructed: a turn begins when all that it reads is there"
"""What a sample's metadata says of its times."""
_ID = 1_000
"""Characters of a question's id in a log; the whole of a longer one is in the metadata."""
_LONGEST = 2_000
"""Characters of a question that a summary shows."""


def sample(debate: ExportedDebate) -> Json:
    """Return the whole debate: its question, every turn as a message, its verdict as the output."""
    transcript, row = debate.transcript, debate.row
    question, turns = transcript.question, transcript.turns
    asked = "\n\n".join(text for text in (question.preceding, question.text) if text)
    verdict, failed = transcript.verdict, transcript.failed
    times = TurnTimes(transcript, debate.run.created)
    uuid = identifier(debate.run.key, row.arm, row.dataset, row.question, row.replicate)
    apart = {seat.number for seat in transcript.seats if not seat.debater}
    outputs = {turn.id: _turn_output(turn, uuid, apart) for turn in turns}
    made: Json = {
        "id": _short(row.question),
        "epoch": row.replicate + 1,
        "input": asked,
        "choices": list(question.choices) or None,
        "target": _target(question),
        "messages": [
            _question_message(question, asked, uuid),
            *(outputs[turn.id]["choices"][0]["message"] for turn in turns),
        ],
        "output": {},
        "scores": _scores(debate),
        "metadata": {},
        "model_usage": usage(turns),
        "role_usage": usage(turns, "role"),
        "started_at": times.moment(0.0),
        "completed_at": times.moment(times.length),
        "total_time": times.length,
        "working_time": times.length,
        "uuid": uuid,
    }
    if verdict is not None:
        by = next((turn for turn in turns if turn.id == verdict.turn), None)
        said = verdict.text or verdict.answer or ""
        made["output"] = _output(said, by, uuid)
        made["metadata"] = {"decided_by": verdict.by, "votes": verdict.votes}
    if failed is not None:
        message = f"{failed.kind}: {failed.reason}"
        made["error"] = {"message": message, "traceback": message, "traceback_ansi": message}
        made["metadata"] = {"failed": failed.kind, "retries": failed.retries}
    if made["id"] != row.question:
        made["metadata"]["question_id"] = row.question
    made["metadata"]["times"] = TIMES
    made["events"] = list_events(made, transcript, times, outputs)
    return made


def _short(question: str) -> str:
    """Return a question's id, short enough for an entry's name; if cut, with its hash."""
    return question if len(question) <= _ID else f"{question[:_ID]}…{identifier(question)}"


def summary(made: Json) -> Json:
    """Return the JSON of a sample for Inspect's list, as shown before the sample is opened."""
    error = made.get("error")
    return {
        **{key: made[key] for key in _SUMMARY},
        "input": made["input"][:_LONGEST],
        "metadata": made["metadata"],
        "error": error and error["message"],
        "completed": True,
        "message_count": len(made["messages"]),
    }


def usage(turns: tuple[Turn, ...], by: str = "model") -> dict[str, Json]:
    """Return tokens and cost by model or role, without the turns whose tokens are unknown."""
    found: dict[str, Json] = {}
    for turn in turns:
        if (took := _usage(turn)) is not None:
            add_usage(found, getattr(turn, by), took)
    return found


def add_usage(to: dict[str, Json], model: str, more: Json) -> None:
    """Add what a model took to what it took before; a cost that is not known stays so."""
    before = to.get(model)
    if before is None:
        to[model] = dict(more)
        return
    for key, value in more.items():
        unknown = before[key] is None or value is None
        before[key] = None if unknown else before[key] + value


def identifier(*parts: object) -> str:
    """Return an id that is the same whenever the same is exported."""
    text = msgspec.json.encode(parts)
    return blake2b(text, digest_size=11).hexdigest()


def _usage(turn: Turn) -> Json | None:
    read, written = turn.prompt_tokens, turn.completion_tokens
    if read is None or written is None:
        return None
    return {
        "input_tokens": read - turn.cached_tokens,  # Inspect counts those from the cache apart
        "output_tokens": written,
        "total_tokens": read + written,
        "input_tokens_cache_read": turn.cached_tokens,
        "reasoning_tokens": turn.reasoning_tokens or 0,
        "total_cost": turn.cost,
    }


def _target(question: Question) -> str | list[str]:
    """Return the right answer or answers; an empty text where none is known."""
    return list(question.answers) if len(question.answers) > 1 else "".join(question.answers)


def _question_message(question: Question, asked: str, uuid: str) -> Json:
    lines = zip(question.letters, question.choices, strict=True)
    options = [f"{letter}) {choice}" for letter, choice in lines]
    content = "\n".join([asked, "", *options] if options else [asked])
    return {"id": f"{uuid}-question", "role": "user", "source": "input", "content": content}


def _turn_output(turn: Turn, uuid: str, apart: Container[int]) -> Json:
    """Return a turn as an output: its reply as a message, why it ended, its tokens and its time."""
    message = _message(turn, uuid)
    if turn.seat in apart:
        message["metadata"]["debater"] = False
    return {
        "model": turn.model,
        "choices": [{"message": message, "stop_reason": _STOP[turn.finish]}],
        "completion": turn.text,
        "usage": _usage(turn),
        "time": turn.seconds,
    }


def _message(turn: Turn, uuid: str) -> Json:
    told = msgspec.to_builtins(turn)
    own = {key: told[key] for key in told if key not in {"event", "model", "text", "thought"}}
    return {
        "id": f"{uuid}-turn-{turn.id}",
        "role": "assistant",
        "source": "generate",
        "model": turn.model,
        "content": _content(turn),
        "metadata": own,
    }


def _content(turn: Turn) -> str | list[Json]:
    """Return the text; where there is thought, both as parts, as Inspect has them."""
    if not turn.thought:
        return turn.text
    thought = {"type": "reasoning", "reasoning": turn.thought}
    return [thought, {"type": "text", "text": turn.text}]


def _output(said: str, by: Turn | None, uuid: str) -> Json:
    model = by.model if by else ""
    message = {
        "id": f"{uuid}-verdict",
        "role": "assistant",
        "source": "generate",
        "content": said,
    }
    stop = _STOP[by.finish] if by else "stop"
    choices = [{"message": message, "stop_reason": stop}]
    return {"model": model, "choices": choices, "completion": said}


def _scores(debate: ExportedDebate) -> dict[str, Json]:
    """``accuracy``, where a right answer is known, and all other metrics that are."""
    known = {name: value for name, value in debate.row.values.items() if value is not None}
    right = known.pop("accuracy", None)
    scores: dict[str, Json] = {"metrics": {"value": known}}
    if right is None:
        return scores
    verdict = debate.transcript.verdict
    by = tell_by(verdict, list_unread(debate.transcript)) if verdict else ""
    accuracy = {
        "value": "C" if right == 1 else "I",
        "answer": verdict.answer if verdict else None,
        "explanation": f"decided by {by}" if verdict else "no verdict",
    }
    return {"accuracy": accuracy, **scores}
