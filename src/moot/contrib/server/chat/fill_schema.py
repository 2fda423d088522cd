"""A verdict put into the JSON schema of a request, by one further call when the debate is over."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from moot import Call, Draw, Message, Model, ModelName, Reply, Sampling, Scene, Transcript, Turn
from moot.contrib.server.chat.client_schema import read_object
from moot.contrib.server.live_debate import LiveDebate
from moot.extend.protocols import models_in
from moot.extend.studies import Lab

ATTEMPTS = 2
"""How often it is asked for: once more where the first object does not fit."""
SEAT = 999_983
"""The seat of the draw of these calls; no agent sits there."""

_TASK = (
    "Several agents have debated a question. Put the outcome into one JSON object that follows "
    "this JSON schema. Change nothing of what it says, and add no fact that is not in it. Reply "
    "with the object alone.\n\n{schema}"
)
_OUTCOME = "Question:\n{question}\n\nOutcome of the debate:\n{answer}"
_AGAIN = "That does not follow the schema: {why}. Reply with the whole object again, corrected."


class _Seeded(msgspec.Struct):
    seed: int


class FilledSchema(NamedTuple):
    """What came of putting a verdict into a schema.

    Attributes:
        text: the object as JSON; None where none of the replies fits.
        why: what is wrong with the last reply; empty where it fits.
        replies: all replies, whose tokens and costs count.
    """

    text: str | None
    why: str
    replies: tuple[Reply, ...] = ()

    def explain(self) -> str:
        """Return in words why there is no object."""
        if not self.replies:  # known before any was asked for
            return self.why
        tries = f"The verdict was put into the schema {len(self.replies)} times, and does not fit: "
        return f"{tries}{self.why}."


async def fill_schema(
    debate: LiveDebate,
    lab: Lab,
    transcript: Transcript,
    schema: dict[str, Any],
    known: Mapping[str, Any] | None = None,
) -> FilledSchema:
    """Ask the model that decided for the verdict in a schema; once more where it does not fit.

    Where a person decided, the first model of the debate is asked. The calls are paid within the
    budget of the debate, and are in the ledger.

    Args:
        debate: which has ended.
        lab: where the models are.
        transcript: of the debate, with an answer.
        schema: the client's.
        known: properties whose values are known, such as the answer that was voted for.

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
    if opened.question.choices and known:  # its letter says nothing without the options
        answer = f"{answer}\n\nThe answer: {known['answer']}"
    messages = [
        Message("system", _TASK.format(schema=shown)),
        Message("user", _OUTCOME.format(question=question, answer=answer)),
    ]
    sampling = Sampling(
        temperature=0.0, seed=msgspec.convert(opened.settings, _Seeded).seed, schema=schema
    )
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
        text, why = read_object(replies[-1].text, schema, known)
        if text is not None:
            return FilledSchema(text, "", tuple(replies))
        messages += [
            Message("assistant", replies[-1].text),
            Message("user", _AGAIN.format(why=why)),
        ]
    return FilledSchema(None, why, tuple(replies))


def list_fillers(models: Iterable[str]) -> list[str]:
    """Return the names of the models that can fill a schema: those that are no people."""
    every = list(models)
    people = ModelName.list_attended(every)
    return [name for name in every if name not in people]


def _find_model(lab: Lab, settings: Any, turn: Turn) -> Model:  # noqa: ANN401 -- of a transcript
    """Return the model of a turn; where a person took it, the debate's first model."""
    known = [lab.model(name) for name in list_fillers(models_in(settings))]
    return next((each for each in known if each.name == turn.model), known[0])
