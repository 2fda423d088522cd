"""How long a debate takes."""

from moot.core.events import Transcript
from moot.metrics.metric import metric
from moot.metrics.views import turns


@metric(unit="seconds", range=(0, None), better="lower")
def seconds(transcript: Transcript) -> float | None:
    """The critical path: the longest chain of turns in which each reads the one before.

    end(turn) = its seconds + the greatest end of the turns it reads; the metric is the greatest
    end. It is the time the debate needs when nothing but its own replies is waited for: no queue,
    no rate limit, no retry; a replayed turn counts with the seconds it first took.
    """
    end: dict[int, float] = {}
    for turn in turns(transcript):
        start = max((end.get(read, 0.0) for read in turn.reads), default=0.0)
        end[turn.id] = start + turn.seconds
    return max(end.values(), default=0.0)


@metric(unit="seconds", range=(0, None), better="lower")
def wall_seconds(transcript: Transcript) -> float | None:
    """From the debate's beginning to its end in the process that ran it last.

    Waiting for other debates' calls is included; a replay takes next to none.
    """
    end = transcript.failed or transcript.events[-1]
    return getattr(end, "seconds", None)
