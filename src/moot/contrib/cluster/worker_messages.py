"""What the driver of a cluster and its workers send each other."""

from pathlib import Path
from typing import NamedTuple

from moot import Budget, InputError, Model, MootError, Price, StoreError
from moot.contrib.cluster.chunks import SentArm
from moot.contrib.cluster.ray_link import ClusterError
from moot.extend.calls import Retry
from moot.extend.studies import ModelTable
from moot.runtime.budget import CapState
from moot.runtime.path import Traffic


class WorkerAccess(NamedTuple):
    """What a worker needs to reach the store and the models. It holds secrets, and shows none.

    Attributes:
        store: the address of the store.
        variables: environment variables: keys, addresses and proxies.
        tables: models that the study describes, by the names it gives them.
        models: model objects that were brought for their names.
    """

    store: str
    variables: dict[str, str]
    tables: dict[str, ModelTable]
    models: tuple[Model, ...]

    def __repr__(self) -> str:
        return "WorkerAccess(…)"


class RunOrder(NamedTuple):
    """What workers run: all that chunks have in common.

    Attributes:
        run: the number of the run in the store.
        also: runs that live on the same budget.
        budget: the budget of the run.
        retry: when a call is made again.
        prices: by the names under which the models' calls go.
        payment: the number of the budget: another one is paid from anew.
        width: debates that one worker runs at once.
        arms: the arms, in the order in which chunks number them.
        overlays: the contents of the arms' files of prompts.
        models: by the name of each model as the study writes it: its name in calls, and its
            endpoint.
        version: the version of moot.
        registered: the names of all protocols, metrics and so on, by what they are.
    """

    run: int
    also: tuple[int, ...]
    budget: Budget
    retry: Retry
    prices: dict[str, Price]
    payment: int
    width: int
    arms: tuple[SentArm, ...]
    overlays: dict[Path, bytes]
    models: dict[str, tuple[str, str]]
    version: str
    registered: dict[str, list[str]]


TROUBLES: dict[str, type[MootError]] = {
    each.__name__: each for each in (StoreError, ClusterError, InputError)
}
"""The errors of which a worker says more than that they are errors of moot, by their names."""


class Trouble(NamedTuple):
    """An error of a worker that a user can do something about.

    Attributes:
        kind: what of ``TROUBLES`` it is; empty for another error of moot.
        text: what it says.
    """

    kind: str
    text: str


class ChunkEnd(NamedTuple):
    """The end of a chunk.

    Attributes:
        done: debates that have ended, and are in the store.
        failed: those of them that failed.
        reasons: why, and how often.
        stopped: why it stopped before its end; an empty text where it did not.
        cap: the cap that its worker has reached, in words; empty for none.
    """

    done: int
    failed: int
    reasons: dict[str, int]
    stopped: str
    cap: str


class WorkerState(NamedTuple):
    """How far a worker is.

    Attributes:
        process: the worker's process, in words.
        account: which calls ``traffic`` counts: another text after a restart.
        traffic: its calls since the payment began.
        done: debates that have ended, of chunks that have not.
        caps: the caps, as far as it knows.
        calls: by model its share of the limit, its calls in flight, and those that wait.
        shared: replies that came from other processes, by process.
        warnings: what it has logged since it was asked last.
    """

    process: str
    account: str
    traffic: Traffic
    done: int
    caps: tuple[CapState, ...]
    calls: dict[str, tuple[int, int, int]]
    shared: dict[str, int]
    warnings: tuple[str, ...]
