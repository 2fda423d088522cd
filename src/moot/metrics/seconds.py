"""How long a debate takes."""

from moot.core.events import Transcript
from moot.metrics.debaters import turns
from moot.metrics.metric import metric


@metric(unit="seconds", better="lower")
def seconds(transcript: Transcript) -> float | None:
    """The critical path: the longest chain of turns in which each reads the one before.

    end(turn) = its seconds + the greatest end of the turns it reads; the metric is the greatest
    end. A turn that reads the verdict of a network's node reads all turns of that node. It is the
    time that the debate needs if it waits only for its own replies: no queue, no rate limit, no
    retry; a replayed turn counts with the seconds it first took. Waiting without reading, as for a
    judge who may end the debate, is no part of the chain. None for a debate recorded elsewhere
    whose log states no time.
    """
    if transcript.opened.source and not any(turn.seconds for turn in turns(transcript)):
        return None
    end: dict[int, float] = {}
    node: dict[int, str] = {}
    ended: dict[str, float] = {}
    for turn in turns(transcript):
        start = 0.0
        for read in turn.reads:
            elsewhere = node.get(read, turn.node)
            start = max(start, end.get(read, 0.0) if elsewhere == turn.node else ended[elsewhere])
        end[turn.id] = start + turn.seconds
        node[turn.id] = turn.node
        ended[turn.node] = max(ended.get(turn.node, 0.0), end[turn.id])
    return max(end.values(), default=0.0)


@metric(unit="seconds", better="lower")
def wall_seconds(transcript: Transcript) -> float | None:
    """From the debate's beginning to its end in the process that ran it last.

    Waiting for other debates' calls is included; a replay takes next to none. None for a debate
    recorded elsewhere.
    """
    if transcript.opened.source:
        return None
    end = transcript.failed or transcript.events[-1]
    return getattr(end, "seconds", None)
