"""A survey of a whole log, by a first reading: kinds of questions, methods and their arms.

The first reading finds every fault of a file before a run is begun, and what can only be told from
all debates. Memory does not grow with the texts.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from moot.contrib.imports.arms import METHOD, Method, MethodArms, MethodTurns, label_methods
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.formats.debate_log import find_fault
from moot.contrib.imports.log_format import Unread
from moot.contrib.imports.logged_questions import KindGuess, QuestionKind
from moot.contrib.imports.own_arms import OwnArm, read_own
from moot.extend.records import Arm, Kind

MOST_METHODS = 12
"""The most methods of one log; of more, those are one that differ in what has most values."""
_MOST_VALUES = 100
"""The most values of a setting; one with more is of each debate, and of no method."""
SHOWN = 10
"""The most parts of a log that are named one by one, of those that could not be read."""


class PlacedMethod(NamedTuple):
    """The arms of a method, and what its transcripts say of it."""

    arms: MethodArms
    protocol: str = ""
    debater: str = ""


class LogSurvey:
    """The first reading of a log.

    Args:
        kind: of all questions; None to find it.

    Attributes:
        debates: their number.
        turns: their number.
        stated: turns whose answer the log states.
        unread: parts that could not be read, the first of them.
        unread_parts: the number of all of these.
        dropped: settings in which debates of one arm differ; ``"method"`` for its name.
    """

    def __init__(self, kind: Kind | None = None) -> None:
        self._kind = kind
        self._guesses: dict[str, KindGuess] = {}
        self._methods: dict[Method, MethodTurns] = {}
        self._values: dict[str, set[object]] = {}
        self._own: dict[tuple[str, str], OwnArm] = {}
        self._questions = set[int]()
        self._placed: dict[Method | tuple[str, str], PlacedMethod] = {}
        self.debates = self.turns = self.stated = self.unread_parts = 0
        self.unread: list[Unread] = []
        self.dropped: list[str] = []

    def read(self, debates: Iterable[LoggedDebate]) -> None:
        """Take all debates of a log into account."""
        for debate in debates:
            self.debates += 1
            self.turns += len(debate.turns)
            self.stated += sum(turn.answer is not None for turn in debate.turns)
            self._questions.add(hash((debate.dataset, debate.id)))
            self._guesses.setdefault(debate.dataset, KindGuess()).add(debate.question)
            if (own := read_own(debate)) is not None:
                self._own.setdefault(own.key, own)
                continue
            self._add_method(debate)

    def _add_method(self, debate: LoggedDebate) -> None:
        method = Method.of(debate)
        for name, value in ((METHOD, method.name), *method.pairs):
            values = self._values.setdefault(name, set())
            values.add(value)
            if len(values) > _MOST_VALUES and name not in self.dropped:
                self._drop(name)
        method = method.drop(self.dropped)
        self._methods.setdefault(method, MethodTurns(method)).add(debate)

    def _drop(self, name: str) -> None:
        """Let methods be one that differ in a setting of this name alone."""
        self.dropped.append(name)
        methods, self._methods = self._methods, {}
        for method, turns in methods.items():
            kept = method.drop(self.dropped)
            self._methods.setdefault(kept, MethodTurns(kept)).join(turns)

    def keep_sound(self, parts: Iterable[LoggedDebate | Unread]) -> Iterator[LoggedDebate]:
        """Yield the debates that are sound, and note what is not."""
        for part in parts:
            if isinstance(part, Unread):
                self._note(part)
            elif why := find_own_fault(part):
                self._note(Unread(part.place, why))
            else:
                yield part

    def _note(self, unread: Unread) -> None:
        self.unread_parts += 1
        if len(self.unread) < SHOWN:
            self.unread.append(unread)

    @property
    def questions(self) -> int:
        """The number of different questions."""
        return len(self._questions)

    def find_kinds(self) -> dict[str, QuestionKind]:
        """Return the form of each dataset's questions."""
        if self._kind is not None:
            return {
                name: each.find()._replace(kind=self._kind, guessed=False)
                for name, each in self._guesses.items()
            }
        return {name: each.find() for name, each in self._guesses.items()}

    def place_methods(self) -> None:
        """Settle the arms, after all debates were taken into account."""
        while len(self._methods) > MOST_METHODS:
            left = [name for name in self._values if name not in self.dropped]
            self._drop(max(left, key=lambda name: (name != METHOD, len(self._values[name]))))
        methods = self._methods
        votes = any(each.kind != "text" for each in self.find_kinds().values())
        for method, label in zip(methods, label_methods([*methods.values()]), strict=True):
            each = methods[method]
            self._placed[method] = PlacedMethod(
                each.list_arms(label, votes=votes), each.protocol, each.debater
            )
        several = len({own.run for own in self._own.values()}) > 1
        for own in sorted(self._own.values(), key=lambda own: own.number):
            name = f"{own.arm.name} ({own.run})" if several else own.arm.name
            arm = msgspec.structs.replace(own.arm, name=name)
            self._placed[own.key] = PlacedMethod(MethodArms(arm, {}))

    def place(self, debate: LoggedDebate) -> PlacedMethod:
        """Return the arms of a debate."""
        own = read_own(debate)
        return self._placed[Method.of(debate).drop(self.dropped) if own is None else own.key]

    @property
    def arms(self) -> list[Arm]:
        """All arms, in the order in which tables have them."""
        return [arm for each in self._placed.values() for arm in each.arms.every]

    @property
    def baseline(self) -> str | None:
        """The arm that others are compared with; None where there is none."""
        own = (each.baseline for each in self._own.values() if each.baseline)
        first = (each.arms.baseline for each in self._placed.values())
        return next(own, None) or next(filter(None, first), None)

    @property
    def simulated(self) -> tuple[str, ...]:
        """The arms of moot's own in which no language model takes part."""
        return tuple(
            self._placed[key].arms.base.name for key, own in self._own.items() if own.simulated
        )


def find_own_fault(debate: LoggedDebate) -> str:
    """Return the fault of a debate as a whole, in words; empty where it is sound."""
    if fault := find_fault(debate):
        return fault
    if not debate.turns and "events" not in debate.moot:
        return "it has no turn"
    try:
        read_own(debate)
    except msgspec.ValidationError as error:
        return f"its key moot is not as moot exports it: {error}"
    return ""
