"""Readers: every way in which a reply is read, by the name that a prompt pack's ``reads_as`` has.

A reader says what answer a reply comes to, and what else it says: which side a judge supports, how
an agent scores the others, whom a role assigner recruits. None of them ever raises.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from moot.core.essays import Plan
from moot.core.questions import Question
from moot.parsing.essay import read_essay
from moot.parsing.evaluation import Evaluation, evaluation_schema, read_evaluation
from moot.parsing.experts import Experts, experts_schema, read_experts
from moot.parsing.extract import extract
from moot.parsing.marked import (
    Closing,
    read_closing,
    read_improvement,
    read_proposal,
    read_solution,
)
from moot.parsing.opinion import Opinion, opinion_schema, read_opinion
from moot.parsing.personas import (
    Personas,
    personas_schema,
    read_personas,
    read_selection,
    selection_schema,
)
from moot.parsing.plan import read_plan
from moot.parsing.reasoned import Reasoned, read_reasoned, reasoned_schema
from moot.parsing.ruling import (
    Ruling,
    conclusion_schema,
    read_conclusion,
    read_ruling,
    ruling_schema,
    support_schema,
)
from moot.parsing.scored import Scores, read_scored
from moot.parsing.standing import Standing, read_persuaded, read_satisfied

Said = (
    Ruling
    | Opinion
    | Closing
    | Scores
    | Evaluation
    | Experts
    | Personas
    | Plan
    | Standing
    | Reasoned
)
"""What a reply says beside its answer."""

Heard = Mapping[str, str | None] | None
"""What the others answered, by the label under which the agent read them."""


class Reading(msgspec.Struct, frozen=True):
    """What a reply comes to.

    Attributes:
        answer: in canonical form, as ``extract`` gives it; None when the reply commits to none.
        said: what else the reply says; None when it says nothing that its reader looks for.
    """

    answer: str | None
    said: Said | None = None


class Parser(NamedTuple):
    """One way to read a reply.

    Attributes:
        read: from the text, the question, whether the reply was finished rather than cut off, and
            what the agent had heard, to what the reply comes to. Pure; never raises.
        schema: the JSON schema for a question that holds a model to this form; None where the
            reply is no JSON.
    """

    read: Callable[[str, Question, bool, Heard], Reading]
    schema: Callable[[Question], dict[str, Any]] | None = None


def _answer(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    return Reading(extract(text, question, finished, heard))


def _reply(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    if question.kind == "text":
        return Reading(text.strip() or None)  # cut off or not: it is what there is to send
    return Reading(extract(text, question, finished, heard))


def _text(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None)


def _ruling(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    ruling = read_ruling(text, question, finished, heard)
    return Reading(ruling.answer if ruling else None, ruling)


def _conclusion(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    ruling = read_conclusion(text, question, finished, heard)
    return Reading(ruling.answer if ruling else None, ruling)


def _opinion(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    opinion = read_opinion(text, question, finished, heard)
    return Reading(opinion.answer if opinion else None, opinion)


def _proposal(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    return Reading(read_proposal(text, question, finished, heard))


def _improvement(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    return Reading(read_improvement(text, question, finished, heard))


def _solution(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    return Reading(read_solution(text, question, finished, heard))


def _closing(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    return Reading(*read_closing(text, question, finished, heard))


def _scored(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    return Reading(*read_scored(text, question, finished, heard))


def _reasoned(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    reasoned = read_reasoned(text, question, finished, heard)
    return Reading(reasoned.answer if reasoned else None, reasoned)


def _evaluation(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    evaluation = read_evaluation(text, question, finished, heard)
    return Reading(evaluation.answer, evaluation)


def _experts(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None, read_experts(text, finished))


def _personas(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None, read_personas(text, finished))


def _selection(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None, read_selection(text, finished))


def _plan(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None, read_plan(text, finished))


def _discussion(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None, read_satisfied(text))


def _challenge(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: ARG001, FBT001 - as extract
    return Reading(None, read_persuaded(text))


def _essay(text: str, question: Question, finished: bool, heard: Heard) -> Reading:  # noqa: FBT001 - as extract
    if question.kind == "text":
        return Reading(read_essay(text))
    return Reading(extract(text, question, finished, heard))  # an essay commits to it, or to none


def _decision_schema(question: Question) -> dict[str, Any]:
    return ruling_schema(question, decides=True)


READERS: dict[str, Parser] = {
    "answer": Parser(_answer),
    "challenge": Parser(_challenge),
    "closing": Parser(_closing),
    "conclusion": Parser(_conclusion, conclusion_schema),
    "decision": Parser(_ruling, _decision_schema),
    "dialogue": Parser(_text),
    "discussion": Parser(_discussion),
    "essay": Parser(_essay),
    "evaluation": Parser(_evaluation, evaluation_schema),
    "experts": Parser(_experts, experts_schema),
    "improvement": Parser(_improvement),
    "opinion": Parser(_opinion, opinion_schema),
    "personas": Parser(_personas, personas_schema),
    "plan": Parser(_plan),
    "proposal": Parser(_proposal),
    "reasoned": Parser(_reasoned, reasoned_schema),
    "reply": Parser(_reply),
    "ruling": Parser(_ruling, ruling_schema),
    "scored": Parser(_scored),
    "selection": Parser(_selection, selection_schema),
    "support": Parser(_ruling, support_schema),
    "solution": Parser(_solution),
    "text": Parser(_text),
}
