"""What tests of argued essays have in common: a proposition, replies, a debate held on it."""

from itertools import count

from moot.core.questions import Question
from moot.models.scripted import Scripted
from promises_essays import argues, pool
from stage import hold

NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
FREE = Question(id="free", kind="text", text="We should make all museums free of charge")
THREE = pool("Nurse", "Cook", "Judge")
ESSAY = "Museums need money.\n\nSo they must sell tickets."


def speaking(ends=1, **replies):
    """A script in which a step has these words; functions are given the call."""

    def script(call):
        said = replies.get(call.scene.step, {"essay": ESSAY}.get(call.scene.step))
        if said is None:
            return argues(call, ends)
        return said(call) if callable(said) else said

    return script


async def held(store, script, name="debate-to-write", question=FREE, **given):
    """A debate that did not fail, its steps, and what each call was sent, by turn."""
    sent = {}

    def recorded(call):
        sent[call.scene.turn] = "\n\n".join(message.content for message in call.messages)
        return script(call)

    model = Scripted(recorded, name=f"script-{next(NAMES)}")
    transcript = await hold(name, model, store, question=question, **given)
    assert transcript.failed is None
    return transcript, [turn.step for turn in transcript.turns], sent


def members(transcript):
    return sum(seat.role == "member" for seat in transcript.seats)
