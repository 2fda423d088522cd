"""All debates of a run, small enough to be kept in memory: to filter, sort and page through."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from moot.extend.stores import ListedDebate
from moot.extend.words import make_visible, natural_sort_key

DebateKey = tuple[str, str, str, int]
"""Arm, dataset, question and replicate."""
OUTCOMES = ("right", "wrong", "unparsed", "failed", "open")
"""How a debate ended; ``open`` where no right answer is known."""
SHOWN = ("all", "right", "wrong", "flipped", "unparsed", "failed")
"""The filters of a list."""

KINDS = {
    "differ": "only one is right",
    "first": "only the first is right",
    "second": "only the second is right",
    "both": "both are right",
    "none": "none is right",
}
"""The kinds of questions that two arms have debated."""

REMEMBERED = 64
"""The most filtered lists of a run in memory: making one passes over all its debates."""


class DebateFilter(NamedTuple):
    """The debates that a list shows, and their order.

    Attributes:
        show: one of ``SHOWN``.
        arm: of this arm only; empty for all.
        dataset: of this dataset only; empty for all.
        dearest: whether the most expensive come first, not the order of questions and arms.
    """

    show: str = "all"
    arm: str = ""
    dataset: str = ""
    dearest: bool = False


class DebateLine(NamedTuple):
    """One debate in a list.

    Attributes:
        number: of its row in the store.
        key: its arm, dataset, question and replicate.
        outcome: one of ``OUTCOMES``.
        gained: debaters that changed from a wrong to the right answer.
        lost: debaters that changed from the right to a wrong answer.
        cost: in US dollars; None if unknown.
        tokens: prompt and completion; None if unknown.
    """

    number: int
    key: DebateKey
    outcome: str
    gained: int
    lost: int
    cost: float | None
    tokens: float | None

    @property
    def cursor(self) -> str:
        """Its key in a URL, as ``DebateIndex.find`` takes it."""
        arm, dataset, question, replicate = self.key
        return "\x1f".join((dataset, question, str(replicate), arm))

    @property
    def flipped(self) -> bool:
        """Whether a debater changed to or from the right answer."""
        return self.gained > 0 or self.lost > 0


class DebateIndex:
    """The debates of a run by dataset, question, replicate and arm: each has a place, from 0.

    Args:
        debates: of the run, in any order.
        arms: in the order of the study; others follow.

    Attributes:
        lines: of all debates, by their places.
        arms: that have a debate, in order.
        datasets: that have a debate, in order of appearance.
        price: what the most expensive are found by: tokens if no debate has a known cost above 0.
        newest: the greatest number of a row; 0 without any.
        failed: the number of debates that failed.
    """

    def __init__(self, debates: Iterable[ListedDebate], arms: Sequence[str]) -> None:
        intern = cache(str)  # equal names are one object, here and in a pickle
        lines = [_line(each, intern) for each in debates]
        self.datasets = list(dict.fromkeys(line.key[1] for line in lines))
        order = {name: at for at, name in enumerate(arms)}
        named = {line.key[0] for line in lines}
        self.arms = sorted(named, key=lambda name: (order.get(name, len(order)), name))
        dataset_at = {name: at for at, name in enumerate(self.datasets)}
        arm_at = {name: at for at, name in enumerate(self.arms)}
        natural_key = cache(natural_sort_key)

        def place(line: DebateLine) -> tuple[object, ...]:
            arm, dataset, question, replicate = line.key
            return dataset_at[dataset], natural_key(question), replicate, arm_at[arm]

        self.lines = sorted(lines, key=place)
        self._chosen: dict[DebateFilter, list[int]] = {}
        self.newest = max((line.number for line in lines), default=0)
        self.failed = sum(line.outcome == "failed" for line in lines)
        self.price = "cost" if any(line.cost for line in lines) else "tokens"

    @cached_property
    def _places(self) -> dict[DebateKey, int]:
        return {line.key: at for at, line in enumerate(self.lines)}

    def __len__(self) -> int:
        return len(self.lines)

    def places(self, choice: DebateFilter) -> list[int]:
        """Return the places of the chosen debates, in the order in which they are listed."""
        if choice not in self._chosen:
            if len(self._chosen) >= REMEMBERED:
                self._chosen.clear()
            self._chosen[choice] = self._choose(choice)
        return self._chosen[choice]

    def _choose(self, choice: DebateFilter) -> list[int]:
        show, arm, dataset, dearest = choice
        found = [
            at
            for at, line in enumerate(self.lines)
            if (not arm or line.key[0] == arm)
            and (not dataset or line.key[1] == dataset)
            and (show in {"all", line.outcome} or (show == "flipped" and line.flipped))
        ]
        return sorted(found, key=self._rank) if dearest else found

    def after(self, places: Sequence[int], cursor: str, choice: DebateFilter) -> int:
        """Return how many of these places come up to the debate of the cursor; 0 without one."""
        at = self.find(cursor)
        if at is None:
            return 0
        if choice.dearest:
            return bisect_right(places, self._rank(at), key=self._rank)
        return bisect_right(places, at)

    def find(self, cursor: str) -> int | None:
        """Return the place of a debate; None if there is none of this key."""
        dataset, question, replicate, arm = (cursor.split("\x1f") + [""] * 4)[:4]
        if not replicate.isdecimal():
            return None
        return self._places.get((arm, dataset, question, int(replicate[:9])))

    def counts(self, choice: DebateFilter) -> dict[str, int]:
        """Return how many debates each of ``SHOWN`` would show, of the same arm and dataset."""
        same = DebateFilter(arm=choice.arm, dataset=choice.dataset)
        return {show: len(self.places(same._replace(show=show))) for show in SHOWN}

    def outcomes(self, arm: str, dataset: str) -> dict[tuple[str, int], DebateLine]:
        """Return the debates of an arm on a dataset by question and replicate, in order."""
        lines = (self.lines[at] for at in self.places(DebateFilter(arm=arm, dataset=dataset)))
        return {line.key[2:]: line for line in lines}

    def pair(
        self, arm: str, dataset: str, others: Mapping[tuple[str, int], DebateLine]
    ) -> dict[str, list[int]]:
        """Return the places of the debates of an arm by which of two arms is right.

        Args:
            arm: the first arm.
            dataset: the dataset.
            others: the debates of the second arm, as ``outcomes`` returns them.

        Returns:
            The places for each of ``KINDS``, of questions with known right answers.
        """
        found: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for at in self.places(DebateFilter(arm=arm, dataset=dataset)):
            line = self.lines[at]
            other = others.get(line.key[2:])
            if other is None or "open" in {line.outcome, other.outcome}:
                continue
            one, two = line.outcome == "right", other.outcome == "right"
            found[("both" if two else "first") if one else ("second" if two else "none")].append(at)
            if one != two:
                found["differ"].append(at)
        return found

    def _rank(self, place: int) -> tuple[float, int]:
        """Return the order of the most expensive: those of unknown cost come last."""
        line = self.lines[place]
        taken = line.cost if self.price == "cost" else line.tokens
        return 1.0 if taken is None else -taken, place


def _line(each: ListedDebate, intern: Callable[[str], str]) -> DebateLine:
    values = each.values
    tokens = values.prompt_tokens, values.completion_tokens
    return DebateLine(
        each.number,
        (intern(each.arm), intern(each.dataset), intern(each.question), each.replicate),
        _outcome(each),
        int(values.wrong_to_right or 0),
        int(values.right_to_wrong or 0),
        values.cost,
        None if tokens[0] is None or tokens[1] is None else tokens[0] + tokens[1],
    )


def _outcome(each: ListedDebate) -> str:
    if each.failed:
        return "failed"
    if each.values.unparsed:
        return "unparsed"
    if each.values.accuracy is None:
        return "open"
    return "right" if each.values.accuracy == 1 else "wrong"


def match_name(names: Iterable[str], given: str) -> str:
    """Return the name that a form sends back: ``plain`` may have changed how it is written."""
    names = list(names)
    if given in names:
        return given
    return next((name for name in names if make_visible(name) == given), given)
