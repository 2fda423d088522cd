"""Simulated reading: what the documents in a prompt tell a simulated agent."""

import re

from moot.core.calls import Call, Scene
from moot.core.fence import fence_text

MAY_NOT_KNOW = 'your final answer is "unknown"'
"""What a prompt says in which an agent may say that its document does not tell."""


def find_stated(call: Call, scene: Scene) -> list[str] | None:
    """Return what the documents of the question that stand in the prompt say the answer is.

    None where none of them stands there; empty where those that do say nothing.
    """
    prompt = call.messages[-1].content
    shown = [
        each
        for each in scene.question.documents or ()
        if fence_text(each.text, as_data=True) in prompt
    ]
    return list(dict.fromkeys(each.answer for each in shown if each.answer)) if shown else None


def choose_passages(call: Call, scene: Scene, *, understands: bool) -> str:
    """Return the choice of an agent: the passages that say an answer, or the first one.

    Args:
        call: its prompt shows the passages by number.
        scene: its question has the documents.
        understands: whether the agent tells by their words which of them say something.
    """
    if understands:
        for each in scene.question.documents or ():
            shown = rf"\[(\d+)\][^\n]*\n{re.escape(fence_text(each.text, as_data=True))}"
            if each.answer and (found := re.search(shown, call.messages[-1].content)):
                return f"This one answers the question.\n[{found[1]}]"
        return "None of them helps.\n[none]"
    return "The first may help.\n[1]"
