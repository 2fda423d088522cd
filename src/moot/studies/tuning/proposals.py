"""Which configuration is tried next: every one of a small space, else what Optuna proposes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, Protocol

from moot.core.errors import InputError
from moot.studies.tuning.space import Configuration, Space

if TYPE_CHECKING:
    from optuna.trial import Trial

ProposalState = Literal["done", "pruned", "failed"]
REPEATS = 50
"""So many proposals on end that are known already end a search: there is hardly any other."""


class Proposals(Protocol):
    """Proposes configurations, one after the other, and is told the value of each."""

    def ask(self) -> Configuration | None:
        """Return the next configuration to try; None when none is left."""
        ...

    def tell(self, state: ProposalState, value: float | None) -> None:
        """Take note of how the last configuration ended.

        Args:
            state: whether its trial was done, pruned or failed.
            value: its value; of a pruned one, that of the part that was run.
        """
        ...


@contextmanager
def open_proposals(space: Space, trials: int, *, seed: int) -> Iterator[Proposals]:
    """Open the proposals of a search of so many trials: the same for the same values told.

    Nothing of this is stored: a search that is run again gets its replies from the ledger, and with
    them the same values and proposals.

    Raises:
        InputError: Optuna is needed and not installed.
    """
    if space.size <= trials:
        yield _Every(space)
        return
    try:
        import optuna
    except ImportError:
        raise InputError("tuning needs Optuna: pip install 'moot[tune]'") from None
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield _Sampled(space, seed)
    finally:
        optuna.logging.set_verbosity(before)


class _Every:
    """Every configuration of a small space, in the order of its table."""

    def __init__(self, space: Space) -> None:
        self._points = space.points()

    def ask(self) -> Configuration | None:
        return next(self._points, None)

    def tell(self, state: ProposalState, value: float | None) -> None:
        """Do nothing: the values do not change which configurations are proposed."""


class _Sampled:
    """Optuna's tree-structured Parzen estimator (Bergstra et al. 2011), seeded."""

    def __init__(self, space: Space, seed: int) -> None:
        import optuna

        self._space = space
        self._drawn_from = {name: axis.distribution() for name, axis in space.axes.items()}
        sampler = optuna.samplers.TPESampler(seed=seed)
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._last: Trial | None = None

    def ask(self) -> Configuration | None:
        self._last = self._study.ask(self._drawn_from)
        return self._space.point(self._last.params)

    def tell(self, state: ProposalState, value: float | None) -> None:
        from optuna.trial import TrialState

        assert self._last is not None
        if state == "done":
            self._study.tell(self._last, value)
        elif state == "pruned":
            self._last.report(value or 0.0, 1)
            self._study.tell(self._last, state=TrialState.PRUNED)
        else:
            self._study.tell(self._last, state=TrialState.FAIL)
