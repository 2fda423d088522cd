"""Rehearsals: a debate held without a language model, to see who reads whom."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec

from moot.core.calls import Call
from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.core.questions import Example, Question
from moot.debate.protocol import Protocol
from moot.debate.run_debate import run_debate
from moot.models.fluent import Speech, word_reply
from moot.models.scripted import Scripted
from moot.models.simulated import CHOOSES
from moot.runtime.path import CallPath
from moot.studies.stand_in import MemoryLedger
from moot.studies.task import Chosen

MOST = 16
"""Turns that can be drawn side by side."""

QUESTION = Question(id="rehearsal", kind="number", text="Which turn is this?", answer="0")
EXAMPLE = Example(question=msgspec.structs.replace(QUESTION, id="example", answer="0"))


async def rehearse_debate(protocol: Protocol, settings: Mapping[str, Any]) -> Transcript:
    """Run one debate in which no agents agree, so that it does not end early; store nothing.

    Args:
        protocol: the algorithm.
        settings: every setting in force, as ``Protocol.check`` gives them; whichever models they
            name, none of them is asked.
    """
    speaker = Scripted(_differs, name="rehearsal")
    return await run_debate(
        whole := protocol.read(settings),
        QUESTION,
        path=CallPath(MemoryLedger()),
        model=lambda _: speaker,
        pack=whole.pack(),
        supplies={"shots": Chosen(defaultdict(lambda: [EXAMPLE]))},
    )


def shrink_settings(
    protocol: Protocol, given: Mapping[str, Any], most: int = MOST
) -> dict[str, Any]:
    """Return these settings, with others so small that a debate has at most so many turns.

    The protocol's own whole numbers that are not given are made smaller by one, the greatest first
    and none below 2, as long as that makes it shorter; then its switches are turned off, if that
    does. A network stays as it is: it is drawn by its nodes.

    Raises:
        InputError: one of the given settings cannot be.
    """
    smaller = dict(given)
    settings = protocol.check(smaller)
    while "nodes" not in settings and protocol.count(settings)[1] > most:
        free = [name for name in protocol.own.__struct_fields__ if name not in given]
        names = [name for name in free if _can_shrink(settings.get(name))]
        for name in sorted(names, key=lambda name: int(settings[name]), reverse=True):
            less = settings[name] is not True and settings[name] - 1
            try:
                fewer = protocol.check({**smaller, name: less})
            except InputError:  # what is given needs it as it is
                continue
            if protocol.count(fewer)[1] < protocol.count(settings)[1]:
                smaller[name], settings = fewer[name], fewer
                break
        else:
            break
    return smaller


def _can_shrink(value: object) -> bool:
    """Return whether a value is a switch that is on, or a whole number above 2."""
    return value is True or (isinstance(value, int) and value > 2)


def _differs(call: Call) -> str:
    """Return a reply that is like no other in the debate, in its answer as in its words.

    Who has to choose a response gives the answer of one.
    """
    scene = call.scene
    assert scene is not None
    words = chr(ord("a") + scene.turn % 26) * (20 + scene.turn % 7)
    chosen = next(filter(None, scene.heard), None) if scene.step == CHOOSES else None
    answer = chosen or str(scene.turn)
    return word_reply(scene, Speech(answer=answer, decides=False, reason=words))
