"""A verdict put into the JSON schema of a request, by one further call when the debate is over."""

from typing import Any, NamedTuple

import msgspec

from moot.core.calls import Call, Draw, Message, Reply, Sampling, Scene
from moot.core.errors import NOT_JSON
from moot.core.events import Transcript, Turn
from moot.core.ports import Model
from moot.debate.agent_config import models_in
from moot.server.http_errors import HttpRefusal
from moot.server.live_debate import LiveDebate
from moot.studies.lab import Lab

ATTEMPTS = 2
"""How often it is asked for: once more where the first object does not fit."""
SEAT = 999_983
"""The seat of the draw of these calls; no agent sits there."""
UNCHECKED = ("pattern", "patternProperties")
"""Keywords that are refused: an expression can be made to take hours on a short text."""

_TASK = (
    "Several agents have debated a question. Put the outcome into one JSON object that follows "
    "this JSON schema. Change nothing of what it says, and add no fact that is not in it. Reply "
    "with the object alone.\n\n{schema}"
)
_OUTCOME = "Question:\n{question}\n\nOutcome of the debate:\n{answer}"
_AGAIN = "That does not follow the schema: {why}. Reply with the whole object again, corrected."


class FilledSchema(NamedTuple):
    """What came of putting a verdict into a schema.

    Attributes:
        text: the object as JSON; None where none of the replies fits.
        why: what is wrong with the last reply; empty where it fits.
        replies: all replies, whose tokens and costs count.
    """

    text: str | None
    why: str
    replies: tuple[Reply, ...]


def check_client_schema(schema: dict[str, Any], where: str) -> None:
    """Raise ``HttpRefusal`` for a schema that cannot be followed, or not be checked safely."""
    import jsonschema

    if schema.get("type") != "object":
        raise _refuse(where, "it must describe an object: type = 'object'")
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise _refuse(where, error.message) from None
    except RecursionError:
        raise _refuse(where, "it is nested too deeply") from None
    _check_keywords(schema, where)


def _check_keywords(schema: object, where: str) -> None:
    parts: list[object] = [schema]
    for part in parts:  # it grows
        if isinstance(part, dict):
            if odd := part.keys() & set(UNCHECKED):
                raise _refuse(where, f"{min(odd)!r} is not checked here; leave it out")
            target = part.get("$ref")
            if isinstance(target, str) and not target.startswith("#"):
                raise _refuse(where, f"$ref {target[:80]!r}: only parts of the schema itself")
            parts += part.values()
        elif isinstance(part, list):
            parts += part


def _refuse(where: str, why: str) -> HttpRefusal:
    return HttpRefusal(f"{where}: {why[:300]}", "unsupported_schema", param=where)


async def fill_schema(
    debate: LiveDebate, lab: Lab, transcript: Transcript, schema: dict[str, Any]
) -> FilledSchema:
    """Ask the model that decided for the verdict in a schema; once more where it does not fit.

    The calls are paid within the budget of the debate, and are in the ledger.

    Args:
        debate: which has ended.
        lab: where the models are.
        transcript: of the debate, with an answer.
        schema: the client's.

    Raises:
        ModelError: the model gave no reply.
        BudgetReached: the request's budget does not suffice.
    """
    verdict, opened = transcript.verdict, transcript.opened
    assert verdict is not None
    deciding = transcript.deciding or transcript.last_turns[-1]
    shown = msgspec.json.format(msgspec.json.encode(schema)).decode()
    question = opened.question.preceding + opened.question.text
    answer = verdict.text or verdict.answer or ""
    messages = [
        Message("system", _TASK.format(schema=shown)),
        Message("user", _OUTCOME.format(question=question, answer=answer)),
    ]
    sampling = Sampling(temperature=0.0, seed=opened.settings["seed"], schema=schema)
    replies, why = list[Reply](), ""
    model = _find_model(lab, opened.settings, deciding)
    for number in range(ATTEMPTS):
        call = Call(
            model=model.name,
            messages=tuple(messages),
            sampling=sampling,
            draw=Draw(opened.replicate, SEAT),
            scene=Scene(
                question=opened.question,
                agent="clerk",
                role="clerk",
                step="fill",
                round=number + 1,
                turn=deciding.id + number + 1,
                heard=(verdict.answer,),
                reads_as="text",
            ),
        )
        replies.append(await debate.call_after(model, call))
        text, why = _read(replies[-1].text, schema)
        if text is not None:
            return FilledSchema(text, "", tuple(replies))
        messages += [
            Message("assistant", replies[-1].text),
            Message("user", _AGAIN.format(why=why)),
        ]
    return FilledSchema(None, why, tuple(replies))


def _find_model(lab: Lab, settings: Any, turn: Turn) -> Model:  # noqa: ANN401 -- of a transcript
    """Return the model of a turn."""
    known = [lab.model(name) for name in models_in(settings)]
    return next((each for each in known if each.name == turn.model), known[0])


def _read(reply: str, schema: dict[str, Any]) -> tuple[str | None, str]:
    """Return the object in a reply as JSON, or None and what is wrong with it."""
    import jsonschema
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    begin, end = reply.find("{"), reply.rfind("}") + 1
    try:
        value = msgspec.json.decode(reply[begin:end] if 0 <= begin < end else reply)
    except NOT_JSON:
        return None, "it is not JSON"
    try:
        # An empty registry: nothing that a schema names is fetched.
        validator = jsonschema.Draft202012Validator(schema, registry=Registry())
        faults = sorted(validator.iter_errors(value), key=lambda fault: list(map(str, fault.path)))
    except (Unresolvable, RecursionError) as error:
        return None, f"the schema cannot be followed ({type(error).__name__})"
    if faults:
        at = "/".join(map(str, faults[0].path)) or "the object"
        return None, f"{at}: {faults[0].message[:200]}"
    return msgspec.json.encode(value).decode(), ""
