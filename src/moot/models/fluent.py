"""Replies in the form that a prompt asks for, written without a language model."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points

import msgspec

from moot.core.calls import Scene

GROUP = "moot.forms"
"""The group of entry points by which packages word replies that their parsers read."""
MUST_DECIDE = ("decide", "close", "conclude")
"""Steps in which a judge may not leave the debate open any more."""

IN_FAVOUR = "PRO"
"""The side of a debate on a motion for which a juror finds."""
EXPERTS = tuple(f"{what} of the subject" for what in ("Teacher", "Critic", "Student", "Historian"))


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a reply, before it has a form.

    Attributes:
        answer: the answer that the reply commits to, in canonical form.
        decides: whether the agent ends the debate, where its role can (a judge, a moderator, a
            consultant, an evaluator, a member of a discussion).
        reason: the words before the answer; no sentence among them may read like an answer.
        side: the side that a judge supports, or the label that a ballot is for, as the prompt names
            it, e.g. ``"Affirmative"``.
        confidence: how sure it is, 0 to 1, where the form has a place for it.
        scores: scores of the others' answers, 1 to 10, by their labels.
    """

    answer: str
    decides: bool = True
    reason: str = "I have my reasons."
    side: str = "Affirmative"
    confidence: float = 0.8
    scores: Mapping[str, int] = {}


def word_reply(scene: Scene, speech: Speech) -> str:
    """Return a reply in the form that the scene's parser reads; an answer where it has no form."""
    if scene.step in MUST_DECIDE or scene.reads_as in {"decision", "conclusion", "support"}:
        speech = msgspec.structs.replace(speech, decides=True)
    if scene.reads_as == "ballot":
        speech = msgspec.structs.replace(speech, side=_find_label(scene, speech.answer))
    if scene.reads_as == "match-ruling":
        speech = msgspec.structs.replace(speech, side=_find_label(scene, IN_FAVOUR))
    if (form := FORMS.get(scene.reads_as)) is not None:
        return form(speech)
    word = _find_form(scene.reads_as)
    return word(speech.answer, speech.reason, speech.decides) if word else _answer(speech)


@cache
def _find_form(reads_as: str) -> Callable[[str, str, bool], str] | None:
    """Return how a package words a reply: by its answer, its reason and whether it decides."""
    entries = entry_points(group=GROUP, name=reads_as)
    return next((entry.load() for entry in entries), None)


def _find_label(scene: Scene, answer: str) -> str:
    """Return the first label under which a prompt shows an answer; A where it shows none."""
    shown = zip(scene.labels, scene.others, strict=True)
    return next((label for label, other in shown if other == answer), "A")


def _answer(speech: Speech) -> str:
    return f"{speech.reason}\nFinal answer: {speech.answer}"


def _closing(speech: Speech) -> str:
    end = f"The correct answer is {speech.answer}" if speech.decides else "Continue debate."
    return f"{speech.reason}\nDecision: {end}"


def _ruling(speech: Speech) -> str:
    decides = speech.decides
    return _object(
        {
            "Whether there is a preference": _yes(decides=decides),
            "Supported Side": speech.side if decides else "",
            "Reason": speech.reason,
            "debate_answer": speech.answer if decides else "",
        }
    )


def _opinion(speech: Speech) -> str:
    return _object(
        {
            "Do you find the final answer provided by the assistant accurate and satisfactory?": (
                _yes(decides=speech.decides)
            ),
            "Reason": speech.reason,
            "Feedback to Assistant for modifications": "" if speech.decides else "Look again.",
            "final_answer": speech.answer,
        }
    )


def _yes(*, decides: bool) -> str:
    return "Yes" if decides else "No"


def _review(speech: Speech, *, rubric: bool = False) -> str:
    """Return a review that ranks the first two responses, the first of them first."""
    five = dict.fromkeys(("accuracy", "completeness", "clarity", "conciseness", "relevance"), 8)
    scores = {"Response A": five if rubric else 8, "Response B": five if rubric else 6}
    return f"{speech.reason}\n{_object({'ranking': [*scores], 'scores': scores})}"


def _object(fields: Mapping[str, object]) -> str:
    return msgspec.json.encode(fields).decode()


FORMS: dict[str, Callable[[Speech], str]] = {
    "answer": _answer,
    "approval-ruling": lambda s: _object(
        {
            "verdict": "approved" if s.decides and s.answer != "false" else "rejected",
            "confidence": 0.8,
            "rationale": s.reason,
        }
    ),
    "closing": _closing,
    "conclusion": lambda s: _object({"Reason": s.reason, "debate_answer": s.answer}),
    "decision": _ruling,
    "evaluation": lambda s: _object(
        {"Correctness": int(s.decides), "Response": s.reason, "Final Answer": s.answer}
    ),
    "experts": lambda _: _object({"experts": EXPERTS}),
    "finding-votes": lambda s: _object(
        {"votes": [{"finding": "F1", "vote": "agree", "reason": s.reason}], "answer": s.answer}
    ),
    "findings": lambda s: _object(
        {"findings": [{"severity": "medium", "what": s.reason}], "answer": s.answer}
    ),
    "grounding": lambda s: _object(
        {"claims": 10, "supported": 9 if s.decides else 4, "relevance": 0.9 if s.decides else 0.4}
    ),
    "grades": lambda s: _object(
        {
            "reason": s.reason,
            "verdict": "right" if s.decides else "wrong",
            "grades": dict.fromkeys(("correctness", "completeness", "clarity"), 4),
        }
    ),
    "improvement": lambda s: f"{s.reason}\nImproved Answer: {s.answer}",
    "match-ruling": lambda s: _object({"decisive": s.reason, "winner": s.side, "margin": 1}),
    "opinion": _opinion,
    "proposal": lambda s: f"{s.reason}\nProposed Answer: {s.answer}",
    "ballot": lambda s: _object({"vote": s.side, "ranking": [s.side], "approved": [s.side]}),
    **dict.fromkeys(
        ("confidence", "confidence-percent", "confidence-ten", "confidence-words"), _answer
    ),
    "confident-answer": lambda s: _object({"reasoning": s.reason, "answer": s.answer}),
    "reasoned": lambda s: _object({"answer": s.answer, "reason": s.reason}),
    "reply": lambda s: s.answer,
    "review": _review,
    "rubric-review": lambda s: _review(s, rubric=True),
    "ruling": _ruling,
    "answer-list": lambda s: f"All correct answers: [{s.answer}]\n{_answer(s)}",
    "passage-choice": lambda _: "The first helps: [1]",
    "sameness": lambda s: f"[{_yes(decides=s.decides)}]",
    "search-query": lambda s: f"[{s.reason}]",
    "scored": lambda s: "\n".join(
        [_answer(s), *(f"Scores: {label}: {score}" for label, score in s.scores.items())]
    ),
    "self-critique": lambda s: _object(
        {
            "reasoning": s.reason.partition("\n")[0],
            "draft": s.answer,
            "chance": round(s.confidence, 2),
            "objection": "Somebody else may hold another answer.",
            "answer": s.answer,
            "confidence": round(s.confidence, 2),
        }
    ),
    "support": lambda s: _object(
        {"Reason": s.reason, "Supported Side": s.side, "debate_answer": s.answer}
    ),
    "solution": _answer,
    "text": lambda s: s.reason,
}
"""The form of a reply, by the parser that reads it; packages bring others by entry points."""
