"""Evaluations: whether an evaluator finds the experts' answer correct (AgentVerse)."""

import re
from collections.abc import Mapping
from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.fields import answer_in, answer_schema, fields, object_schema, words
from moot.parsing.plain import plain


def evaluation_schema(question: Question) -> dict[str, Any]:
    """The JSON schema of an evaluation, for models that can be held to one."""
    return object_schema(
        {
            "Correctness": {"type": "integer", "enum": [0, 1]},
            "Response": {"type": "string"},
            "Final Answer": answer_schema(question, decides=False),
        }
    )


class Evaluation(Reading, frozen=True, kw_only=True):
    """What an evaluator said.

    Attributes:
        correct: whether the answer is correct, so that no further round is needed; None when this
            was not said.
        answer: what the evaluator holds to be the answer, in canonical form; None when there is
            none.
        response: what the evaluator advises or explains, in its words; empty where there is none.
    """

    correct: bool | None = None
    answer: str | None = None
    response: str = ""

    @property
    def reason(self) -> str | None:
        """Why the answer is or is not correct: the advice; None if there is none."""
        return self.response or None


def read_evaluation(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Mapping[str, str | None] | None = None,
) -> Evaluation:
    """Read an evaluation: "Correctness: 1", or 0, and the answer after "Final Answer:".

    JSON with fences, text around it, small damage and renamed keys is read too, and true, false,
    yes and no stand for 1 and 0. Of several scores the last counts. No answer is looked for in what
    gives the score.

    Source: debate framework settings, Agentverse.
    """
    said = fields(text, _name, finished=finished)
    if said is not None and said.keys() & {"correct", "answer"}:
        score = _VALUE.match(said.get("correct", ""))
        if "answer" in said:
            answer = answer_in(said["answer"], question, heard)
        else:
            answer = extract(text[text.rfind("}") + 1 :], question, finished, heard)
        response = said.get("response", "").strip()
        correct = bool(score[1]) if score else None
        return Evaluation(correct=correct, answer=answer, response=response)
    shown = plain(text)
    scores = list(_SCORE.finditer(shown))
    rest = _OTHER.sub("", _SCORE.sub("", shown))
    advice = _RESPONSE.search(shown)
    return Evaluation(
        correct=bool(scores[-1][1]) if scores else None,
        answer=extract(_META.sub(r"\1", rest), question, finished, heard),
        response=advice[1].strip() if advice else "",
    )


def _name(key: str) -> str | None:
    """Which field a key means, however it is spelled."""
    said = words(key)
    if "correctness" in said:
        return "correct"
    if said & {"answer", "solution"}:
        return "answer"
    if said & {"correct", "score", "satisfactory", "satisfied"}:
        return "correct"
    return "response" if said & {"response", "feedback", "advice", "comments"} else None


_ONE_OR_NONE = (
    r"\"?(?:(1(?![\d.,]*\d)|true\b|yes\b)|(?:0(?![\d.,]*\d)|false\b|no\b(?! \w)))"
    r"(?! ?(?:or\b|\|))(?: ?/ ?1\b)?"
)
_VALUE = re.compile(_ONE_OR_NONE, re.IGNORECASE)
_SCORE = re.compile(
    r"(?:\bcorrectness(?: score)?"
    r"|^[-#> ]{0,4}(?:(?:final |overall )?score|(?:is \w+ (?:\w+ )?)?correct))"
    rf"(?: ?\([^()\n]{{0,40}}\))?\"? ?(?:[:=?]|is\b){{1,2}} ?{_ONE_OR_NONE}",
    re.IGNORECASE | re.MULTILINE,
)
_OTHER = re.compile(  # a score that is neither 1 nor 0
    r"\bcorrectness(?: score)?(?: ?\([^()\n]{0,40}\))?\"? ?(?:[:=]|is\b)"
    r" ?-?[\d./]+(?: ?(?:or|\|) ?\d)?",
    re.IGNORECASE,
)
_RESPONSE = re.compile(
    r"^[-#>* ]{0,6}(?:response|feedback|advice)\"? ?[:=] ?"
    r"(.*?)(?=\n[-#>* \"]{0,6}(?:(?:the |my )?final[ _]answer|correctness|answer)\b|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_META = re.compile(r"(\bfinal answer:[ *_]{0,5})the (?:\w+ )?answer is:? ", re.IGNORECASE)
