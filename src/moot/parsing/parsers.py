"""The parsers that moot ships; ``registry`` has them and those of other packages."""

from typing import Any

from moot.core.questions import Question
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
from moot.parsing.parser import Heard, Parsed, parser, registry
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

__all__ = ["registry"]


def _answer(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    return Parsed(extract(text, question, finished, heard))


def _reply(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    if question.kind == "text":
        return Parsed(text.strip() or None)  # cut off or not: it is what there is to send
    return Parsed(extract(text, question, finished, heard))


def _text(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: ARG001, FBT001 - as extract
    return Parsed(None)


def _ruling(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    ruling = read_ruling(text, question, finished, heard)
    return Parsed(ruling.answer if ruling else None, ruling)


def _conclusion(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    ruling = read_conclusion(text, question, finished, heard)
    return Parsed(ruling.answer if ruling else None, ruling)


def _opinion(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    opinion = read_opinion(text, question, finished, heard)
    return Parsed(opinion.answer if opinion else None, opinion)


def _proposal(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    return Parsed(read_proposal(text, question, finished, heard))


def _improvement(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    return Parsed(read_improvement(text, question, finished, heard))


def _solution(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    return Parsed(read_solution(text, question, finished, heard))


def _closing(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    return Parsed(*read_closing(text, question, finished, heard))


def _scored(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    return Parsed(*read_scored(text, question, finished, heard))


def _reasoned(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    reasoned = read_reasoned(text, question, finished, heard)
    return Parsed(reasoned.answer if reasoned else None, reasoned)


def _evaluation(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: FBT001 - as extract
    evaluation = read_evaluation(text, question, finished, heard)
    return Parsed(evaluation.answer, evaluation)


def _experts(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:  # noqa: ARG001, FBT001 - as extract
    return Parsed(None, read_experts(text, finished))


def _decision_schema(question: Question) -> dict[str, Any]:
    return ruling_schema(question, decides=True)


parser(name="answer")(_answer)
parser(name="closing", reading=Closing)(_closing)
parser(name="conclusion", reading=Ruling, schema=conclusion_schema)(_conclusion)
parser(name="decision", reading=Ruling, schema=_decision_schema)(_ruling)
parser(name="evaluation", reading=Evaluation, schema=evaluation_schema)(_evaluation)
parser(name="experts", reading=Experts, schema=experts_schema)(_experts)
parser(name="improvement")(_improvement)
parser(name="opinion", reading=Opinion, schema=opinion_schema)(_opinion)
parser(name="proposal")(_proposal)
parser(name="reasoned", reading=Reasoned, schema=reasoned_schema)(_reasoned)
parser(name="reply")(_reply)
parser(name="ruling", reading=Ruling, schema=ruling_schema)(_ruling)
parser(name="scored", reading=Scores)(_scored)
parser(name="support", reading=Ruling, schema=support_schema)(_ruling)
parser(name="solution")(_solution)
parser(name="text")(_text)
