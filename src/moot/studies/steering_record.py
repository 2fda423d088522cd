"""The steps that steer a debate, in the ledger: a debate that goes on after a restart has them.

Each is a record as that of a reply, of the model ``steering``, with a draw of its own.
"""

import msgspec

from moot.core.calls import Call, Draw, Message, Reply, identity
from moot.core.ports import Ledger
from moot.debate.steering import Steering, SteeringStep

RECORDER = "steering"
"""The name of the model by which the ledger has a step."""

_decode = msgspec.json.Decoder(SteeringStep).decode


async def load_steering(ledger: Ledger, run: str, replicate: int) -> Steering:
    """Return the recorded steps of one debate of a run, in order.

    Args:
        ledger: the ledger.
        run: the run's key.
        replicate: the debate's number among those of the same question.
    """
    steps: list[SteeringStep] = []
    while (reply := await ledger.find(_identify(run, replicate, len(steps))[1])) is not None:
        steps.append(_decode(reply.text))
    return Steering(steps)


async def record_step(
    ledger: Ledger, run: str, replicate: int, number: int, step: SteeringStep
) -> None:
    """Record a step; return once it is durable.

    Args:
        ledger: the ledger.
        run: the run's key.
        replicate: the debate's number among those of the same question.
        number: how many steps the debate had before.
        step: the step.

    Raises:
        StoreError: it cannot be written.
    """
    call, key = _identify(run, replicate, number)
    if await ledger.claim(key) is None:
        text = msgspec.json.encode(step).decode()
        reply = Reply(text=text, prompt_tokens=0, completion_tokens=0, cost=0.0)
        await ledger.record(key, call, call.request(), reply)


def _identify(run: str, replicate: int, number: int) -> tuple[Call, bytes]:
    draw = Draw(replicate, 0, number)
    call = Call(model=RECORDER, messages=(Message("user", run),), draw=draw)
    return call, identity(call.request(), draw)
