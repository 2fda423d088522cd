"""Replies by which a debate ends by itself in round ``ends``, and not before; by name."""

from support.debates import says
from support.promises.essays import argues

__all__ = ["argues"]


def speak(call, ends):
    return says(call, ends=ends)


def trying(call, ends):
    return "Final answer: 4" if call.scene.turn >= ends else "no idea"


def unlike(call, ends):
    """Words and answers that differ by agent and round until a round, and are alike from then."""
    scene = call.scene
    if scene.round >= ends:
        return "We agree.\nFinal answer: 4"
    word = f"{scene.agent}{scene.round}" * 20
    return f"{word[::-1]}\nFinal answer: {10 * scene.round + call.draw.seat}"


def disagree(call, ends):
    """Answers that are never alike, unless they are from the first round on."""
    return f"Final answer: {4 if ends == 1 else 100 * call.scene.round + call.draw.seat}"


def confer(call, ends):
    scene = call.scene
    answer = 4 if scene.round >= ends else 100 * scene.round + call.draw.seat
    return f'{{"reasoning": "So.", "answer": "{answer}", "confidence_level": 0.5}}'


def review_text(call, ends):
    if call.scene.step == "read":
        found = '{"severity": "low", "where": "", "what": "It is too short."}'
        return f'{{"findings": [{found}], "answer": "4"}}'
    return '{"votes": [{"finding": "F1", "vote": "agree"}], "answer": "4"}'


def argue(call, ends):
    scene = call.scene
    if scene.step != "judge":
        return f"{scene.agent} in part {scene.round}."
    label = scene.labels[[*scene.others].index("PRO")]
    return f'{{"winner": "{label}", "margin": 2}}'


def by_sweep(call, ends):
    node, _, sweep = call.scene.agent.partition("/")[0].partition(".")
    return says(call, answer="4" if int(sweep or 1) >= ends else node.removeprefix("C") + "0")


def decide(call, ends):
    """The judge, and an advocate that may choose, vote for the side whose answer is 4."""
    if call.scene.step not in {"judge", "choose-side", "rate"}:
        return "<thinking>Hm.</thinking><argument>It is so, <quote>for sure</quote>.</argument>"
    label = call.scene.labels[[*call.scene.others].index("4")]
    return label if call.scene.step == "rate" else f"So it is.\nVote: {label}"


def silenced(call, ends):
    return "" if call.scene.role == "user" and call.scene.round >= ends else says(call)
