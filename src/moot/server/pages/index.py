"""All debates of a run, so small that they are kept in memory: to filter, sort and page through."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from moot.core.plain import plain
from moot.ledger.reader import Held, Key
from moot.reports.asked import natural

if TYPE_CHECKING:
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

OUTCOMES = ("right", "wrong", "unparsed", "failed", "open")
"""How a debate came out; ``open`` where no right answer is known."""
SHOWN = ("all", "right", "wrong", "flipped", "unparsed", "failed")
"""What a list can be restricted to."""

Price = Literal["cost", "tokens"]


class Choice(NamedTuple):
    """Which debates a list shows, and in which order.

    Attributes:
        show: one of ``SHOWN``.
        arm: of this arm only; empty for all, as the dataset.
        dataset: of this dataset only.
        dearest: whether the dearest come first, and not in the order of questions and arms.
    """

    show: str = "all"
    arm: str = ""
    dataset: str = ""
    dearest: bool = False


class Line(NamedTuple):
    """One debate in a list; ``gained`` and ``lost`` count debaters that went right or wrong."""

    place: int
    number: int
    key: Key
    outcome: str
    gained: int
    lost: int
    cost: float | None
    tokens: float | None

    @property
    def cursor(self) -> str:
        """Its key, as ``Index.find`` takes it."""
        arm, dataset, question, replicate = self.key
        return "\x1f".join((dataset, question, str(replicate), arm))


class Index:
    """The debates of a run by dataset, question, replicate and arm: each has a place, from 0.

    Args:
        debates: of the run, in any order.
        arms: in the order of the study; others follow.

    Attributes:
        arms: that have a debate, in order.
        datasets: that have one, in order of appearance.
        price: what the dearest are found by: tokens where no debate has a known price above zero.
        newest: the greatest number of a row; 0 without any.
    """

    def __init__(self, debates: Iterable[Held], arms: Sequence[str]) -> None:
        import numpy as np

        known: dict[str, dict[str, int]] = {"arm": {}, "dataset": {}, "question": {}}
        rows = [_row(each, known) for each in debates]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(_COLUMNS))
        place = {arm: number for number, arm in enumerate(arms)}
        self.arms, arm = _ranked(known["arm"], lambda name: (place.get(name, len(place)), name))
        self.datasets, dataset = list(known["dataset"]), table[:, 1].astype(np.int64)
        self._questions, question = _ranked(known["question"], natural)
        codes = table[:, :5].astype(np.int64)
        own, asked = arm[codes[:, 0]], question[codes[:, 2]]
        order = np.lexsort((own, codes[:, 3], asked, dataset))
        self._arm, self._dataset, self._question = own[order], dataset[order], asked[order]
        self._replicate, self._number = codes[order, 3], codes[order, 4]
        self._outcome, self._gained, self._lost = table[order, 5:8].astype(np.int8).T.copy()
        self._cost, self._tokens = table[order, 8:10].T.copy()
        self.newest = int(self._number.max()) if rows else 0
        self.price: Price = "cost" if (np.nan_to_num(self._cost) > 0).any() else "tokens"

    def __len__(self) -> int:
        return len(self._number)

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return int((self._outcome == OUTCOMES.index("failed")).sum())

    def places(self, choice: Choice) -> "NDArray[int64]":
        """The places of the chosen debates, in the order in which they are listed."""
        import numpy as np

        found = np.flatnonzero(self._mask(choice))
        if not choice.dearest:
            return found
        return found[np.argsort(-self._price()[found], kind="stable")]

    def after(self, places: "NDArray[int64]", cursor: str, choice: Choice) -> int:
        """How many of these places come up to the debate of the cursor; 0 where there is none."""
        import numpy as np

        at = self.find(cursor)
        if at is None:
            return 0
        if not choice.dearest:
            return int(np.searchsorted(places, at, side="right"))
        price = -self._price()
        earlier = (price[places] < price[at]) | ((price[places] == price[at]) & (places <= at))
        return int(earlier.sum())

    def find(self, cursor: str) -> int | None:
        """The place of a debate; None where there is none of this key."""
        import numpy as np

        dataset, question, replicate, arm = (cursor.split("\x1f") + [""] * 4)[:4]
        if not replicate.isdecimal():
            return None
        mask = self._question == _code(self._questions, question)
        mask &= self._mask(Choice(arm=arm, dataset=dataset))
        mask &= self._replicate == int(replicate[:9])
        found = np.flatnonzero(mask)
        return int(found[0]) if len(found) else None

    def line(self, place: int) -> Line:
        """The debate at a place."""
        key = (
            self.arms[self._arm[place]],
            self.datasets[self._dataset[place]],
            self._questions[self._question[place]],
            int(self._replicate[place]),
        )
        return Line(
            int(place),
            int(self._number[place]),
            key,
            OUTCOMES[self._outcome[place]],
            int(self._gained[place]),
            int(self._lost[place]),
            _known(self._cost[place]),
            _known(self._tokens[place]),
        )

    def numbers(self, places: "NDArray[int64]") -> list[int]:
        """The rows of the debates at these places."""
        found: list[int] = self._number[places].tolist()
        return found

    def counts(self, choice: Choice) -> dict[str, int]:
        """How many debates each of ``SHOWN`` would show, of the same arm and dataset."""
        return {show: int(self._mask(choice._replace(show=show)).sum()) for show in SHOWN}

    def outcomes(self, arm: str, dataset: str) -> dict[tuple[str, int], Line]:
        """The debates of an arm on a dataset, by question and replicate, in order."""
        found = map(self.line, self.places(Choice(arm=arm, dataset=dataset)).tolist())
        return {each.key[2:]: each for each in found}

    def _mask(self, choice: Choice) -> "NDArray[bool_]":
        import numpy as np

        mask = np.ones(len(self), dtype=np.bool_)
        if choice.arm:
            mask &= self._arm == _code(self.arms, choice.arm)
        if choice.dataset:
            mask &= self._dataset == _code(self.datasets, choice.dataset)
        if choice.show == "flipped":
            mask &= (self._gained > 0) | (self._lost > 0)
        if choice.show in OUTCOMES:
            mask &= self._outcome == OUTCOMES.index(choice.show)
        return mask

    def _price(self) -> "NDArray[float64]":
        """What each took; less than nothing where that is unknown, which comes last."""
        import numpy as np

        taken: NDArray[float64] = self._cost if self.price == "cost" else self._tokens
        return np.where(np.isnan(taken), -1.0, taken)


_COLUMNS = (
    *("arm", "dataset", "question", "replicate", "number"),
    *("outcome", "gained", "lost", "cost", "tokens"),
)


def _row(each: Held, known: dict[str, dict[str, int]]) -> tuple[float, ...]:
    """A debate in numbers: each name stands as how many others came before it."""
    values = each.values
    tokens = (values.prompt_tokens, values.completion_tokens)
    return (
        *(_numbered(known[what], getattr(each, what)) for what in ("arm", "dataset", "question")),
        each.replicate,
        each.number,
        OUTCOMES.index(_outcome(each)),
        min(values.wrong_to_right or 0, 100),
        min(values.right_to_wrong or 0, 100),
        _nan if values.cost is None else values.cost,
        _nan if tokens[0] is None or tokens[1] is None else tokens[0] + tokens[1],
    )


_nan = float("nan")


def _numbered(known: dict[str, int], name: str) -> int:
    return known.setdefault(name, len(known))


def _outcome(each: Held) -> str:
    if each.failed:
        return "failed"
    if each.values.unparsed:
        return "unparsed"
    if each.values.accuracy is None:
        return "open"
    return "right" if each.values.accuracy == 1 else "wrong"


def _ranked(known: dict[str, int], key: Callable[[str], Any]) -> "tuple[list[str], NDArray[int64]]":
    """Names in order, and the rank of each by the number it stands as."""
    import numpy as np

    names = sorted(known, key=key)
    ranks = np.zeros(len(names), dtype=np.int64)
    for rank, name in enumerate(names):
        ranks[known[name]] = rank
    return names, ranks


def meant(names: Iterable[str], given: str) -> str:
    """The one of these names that a form sends back, where ``plain`` may have changed it.

    What is none of them stays as it is.
    """
    names = list(names)
    if given in names:
        return given
    return next((name for name in names if plain(name) == given), given)


def _code(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else -1


def _known(value: float) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 -- not a number
