"""Evaluations: whether an evaluator finds the experts' answer correct (AgentVerse)."""

import re
from collections.abc import Mapping
from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.json_fields import answer_schema, read_answer_field, read_fields
from moot.parsing.named import read_name
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser
from moot.parsing.plain_text import make_plain

SOLVER = "solver"
"""The label of the agent whose solution critics review."""


def evaluation_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of an evaluation, for models that follow one."""
    return object_schema(
        {
            "Correctness": {"type": "integer", "enum": [0, 1]},
            "Response": {"type": "string"},
            "Final Answer": answer_schema(question, decides=False),
        }
    )


class Evaluation(Reading, frozen=True, kw_only=True):
    """What an evaluator says.

    Attributes:
        correct: whether the answer is correct, so that no further round is needed; None if it does
            not say.
        answer: the answer that the evaluator holds to be right, in canonical form; None without
            one.
        response: what the evaluator advises or explains, in its words; empty if it does not.
    """

    correct: bool | None = None
    answer: str | None = None
    response: str = ""

    @property
    def needs_no_answer(self) -> bool:
        """Whether it says if the experts' answer is correct: that one counts then."""
        return self.correct is not None

    @property
    def reason(self) -> str | None:
        """Why the answer is or is not correct: the advice; None if there is none."""
        return self.response or None


_FIELDS = (
    ("correct", {"correctness"}),
    ("answer", {"answer", "solution"}),
    ("correct", {"correct", "score", "satisfactory", "satisfied"}),
    ("response", {"response", "feedback", "advice", "comments"}),
)


@parser(reading=Evaluation, schema=evaluation_schema)
def parse_evaluation(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read an evaluation: "Correctness: 1", or 0, and the answer after "Final Answer:".

    JSON with fences, text around it, small damage and renamed keys is read too, and true, false,
    yes and no stand for 1 and 0. Of several scores the last counts. The words that give the score
    are not read for an answer.

    Source: debate framework settings, Agentverse.
    """
    said = read_fields(text, _FIELDS, finished=finished)
    if said is not None and said.keys() & {"correct", "answer"}:
        score = _VALUE.match(said.get("correct", ""))
        if "answer" in said:
            answer = _read_selected(said["answer"], question, heard)
            answer = answer or read_answer_field(said["answer"], question, heard)
        else:
            answer = extract(text[text.rfind("}") + 1 :], question, finished, heard)
        response = said.get("response", "")
    else:
        shown = make_plain(text)
        scores = list(_SCORE.finditer(shown))
        score = scores[-1] if scores else None
        rest = _OTHER.sub("", _SCORE.sub("", shown))
        closing = list(_CLOSING.finditer(rest))
        answer = _read_selected(closing[-1][1], question, heard) if closing else None
        answer = answer or extract(_META.sub(r"\1", rest), question, finished, heard)
        advice = _RESPONSE.search(shown)
        response = advice[1] if advice else ""
    correct = bool(score[1]) if score else None
    return Parsed(answer, Evaluation(correct=correct, answer=answer, response=response.strip()))


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
_CLOSING = re.compile(
    r"^[-#>* ]{0,6}(?:the |my )?final[ _]answer[*\"]{0,3} ?[:=] ?(.{1,200})$",
    re.IGNORECASE | re.MULTILINE,
)
_META = re.compile(r"(\bfinal answer:[ *_]{0,5})the (?:\w+ )?answer is:? ", re.IGNORECASE)


def _read_selected(words: str, question: Question, heard: HeardAnswers) -> str | None:
    """Return the answer of the one critic that the words select, and nothing else; else None.

    A critic is what it was recruited as, with or without its article and what follows it, or its
    number: "the zoologist's answer", "same as the physicist", "Critic 1's answer".
    """
    shown = _IMPROVED.sub("", " ".join(make_plain(words).split())).strip(" .!\"'")
    if not heard or len(shown) > _LONGEST:
        return None
    if lead := _SAME.match(shown):
        shown = f"{_OWNED.sub('', shown[lead.end() :])}'s answer"
    return read_name(shown, question, _name_critics(heard))


_LONGEST = 120
"""Characters beyond which words say more than whom they select."""
_IMPROVED = re.compile(r"\bimproved (?=answer|solution)", re.IGNORECASE)
_SAME = re.compile(
    r"(?:(?:the )?same(?: answer)? as|identical to|as (?:given|stated|proposed|said) by"
    r"|(?:i )?(?:choose|chose|select|selected|pick|picked|adopt|adopted)"
    r"(?: that of| the answer of)?) ",
    re.IGNORECASE,
)
_OWNED = re.compile(r"'s?(?: (?:answer|solution|one))?$", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the) (?=\w)", re.IGNORECASE)
_FURTHER = re.compile(
    r",? (?:who|whose|that|which|with|in|of|for|from|on|specialising|specializing)\b.*|,.*"
)


def _name_critics(heard: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return what was heard by every name of those who said it that is one's alone."""
    critics = [label for label in heard if label.casefold() != SOLVER]
    names: dict[str, set[str]] = {}
    for number, label in enumerate(critics, 1):
        plain = _ARTICLE.sub("", label, count=1)
        numbered = f"critic {number}", f"expert {number}"
        for name in {plain, _FURTHER.sub("", plain), *numbered}:
            names.setdefault(name.casefold(), set()).add(label)
    alone = {name: heard[next(iter(own))] for name, own in names.items() if len(own) == 1}
    return alone | dict(heard)
