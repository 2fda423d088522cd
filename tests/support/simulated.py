"""What tests of simulated models have in common: questions, calls, and what counts as noise."""

import math
import re
from statistics import mean

from moot.core.calls import Call, Draw, Message, Reply, Sampling, Scene
from moot.core.questions import Question
from moot.models.simulated import Simulated

NULL = Simulated("null")
FOUR = {"kind": "choice", "choices": ("w", "x", "y", "z")}
QUESTIONS = [
    Question(id=str(i), text=f"Which, {i}?", answer="ABCD"[i % 4], **FOUR) for i in range(2000)
]
YES_OR_NO = [
    Question(id=str(i), kind="boolean", text=f"Is it so, {i}?", answer=("true", "false")[i % 2])
    for i in range(2000)
]


def a_call(
    model,
    question,
    *,
    seat=0,
    number=1,
    heard=(),
    opening=(),
    prompt=None,
    temperature=None,
    **scene,
) -> Call:
    spoken = {"agent": f"mind {seat}", "role": "mind", "step": "answer", "round": number}
    spoken |= {"heard": heard, "reads_as": "answer", "opening": opening} | scene
    return Call(
        model=model.name,
        messages=(Message("user", prompt or f"{question.text} {heard} {opening}"),),
        sampling=Sampling(temperature=temperature),
        draw=Draw(0, seat),
        scene=Scene(question=question, **spoken),
    )


def committed(reply: Reply) -> str | None:
    found = re.search(r"Final answer: (.+)$", reply.text)
    return found and found[1]


def within_noise(differences) -> bool:
    """Whether a mean of independent values is 0 within four standard errors."""
    centre = mean(differences)
    spread = math.sqrt(mean((d - centre) ** 2 for d in differences) / len(differences))
    return abs(centre) <= 4 * spread
