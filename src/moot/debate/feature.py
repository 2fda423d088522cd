"""Features: what any protocol can have, found by the names of their settings without an import.

A feature that is off costs no call, no look-up, no import.
"""

# ruff: noqa: ANN401 -- each feature has settings and a state of types of its own

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import msgspec

from moot.core.entry_points import find_entry_points
from moot.core.errors import InputError
from moot.core.ports import Model
from moot.core.questions import Example, Question

if TYPE_CHECKING:
    from moot.core.stored import Arm
    from moot.debate.debate_settings import DebateSettings
    from moot.prompts.packs import Pack
    from moot.runtime.path import CallPath

CROWDS = ("agents", "samples")
"""The settings that may be a list of agents instead of their number."""
LAST = 2
"""The place of a feature's content in a run's key, behind all that stood there before."""
Supplies = Mapping[str, Any]
"""Data loaded for features, by a setting of each; see ``Feature.loader``."""
NO_SUPPLIES: Supplies = MappingProxyType({})
Questions = Mapping[str, Iterable[Question]]
"""The questions of each dataset of a plan, by their place in words."""
GROUP = "moot.features"
"""The group of entry points: the name of each is a setting, its value a feature."""
_PLACES: Mapping[str, str] = {
    "faithful": "moot.debate.features.faithful:FEATURE",
    **dict.fromkeys(
        ("reads_by", "constrained", "billed"), "moot.debate.features.published:FEATURE"
    ),
    **dict.fromkeys(("cast", "models"), "moot.debate.features.agents:FEATURE"),
    **dict.fromkeys(
        ("shots", "examples", "choose", "shots_as", "convincing"),
        "moot.debate.features.few_shot:FEATURE",
    ),
    **dict.fromkeys(
        ("opening", "distance", "squares", "put"), "moot.debate.features.openings:FEATURE"
    ),
    "agreement": "moot.debate.features.agreement:FEATURE",
    **dict.fromkeys(("until", "draft"), "moot.debate.features.stages:FEATURE"),
    **dict.fromkeys(("stop", "still", "twice"), "moot.debate.features.stops:FEATURE"),
    **dict.fromkeys(("confidence", "more_draws"), "moot.debate.features.confidence:FEATURE"),
    "steering": "moot.debate.features.steering:FEATURE",
}
"""Where moot's own features are, by the names of their settings, in the order of their hooks.

The paragraphs of a later one stand later, its ``around`` is further out, and it begins earlier.
"""
ORDER: tuple[str, ...] = (
    *("model", "style", "temperature", "top_p", "max_tokens", "effort", "seed", "window"),
    *("shots", "examples", "choose", "shots_as", "opening", "distance", "squares", "put"),
    *("confidence", "more_draws", "tools", "max_tool_calls", "evidence", "passages", "search_by"),
    *("cast", "agreement", "reads_by", "constrained", "billed"),
)
"""The settings that any protocol can have, in the order in which they are recorded."""
ALWAYS: Mapping[str, Any] = {
    "shots": 5,
    "examples": None,
    "choose": "seeded",
    "shots_as": "messages",
    "opening": "open",
    "distance": "near",
    "squares": "all",
    "put": None,
    "cast": [],
    "agreement": None,
}
"""Settings that stand in every record and key, though their feature is off, with what they are."""
OFF: Mapping[str, Any] = {
    "tools": (),
    "max_tool_calls": 3,
    "evidence": "",
    "passages": 5,
    "search_by": "words",
    "confidence": None,
    "more_draws": 5,
    "stop": "",
    "still": 0.0,
    "twice": 2,
    "until": "",
    "draft": None,
    "reads_by": "commitment",
    "constrained": True,
    "billed": "tokens",
    "faithful": "ours",
}
"""The other settings of moot's features, with what they are where the feature is off."""
FEW_SHOT = "few-shot"
"""The first words of the names of styles that show worked examples."""
STYLED: Mapping[str, str] = {FEW_SHOT: "shots"}
"""A setting of each feature that styles bring into force, by what their names begin with."""
DECLARED = ("agreement", "stop", "still", "twice", "until", "draft")
"""Settings of features that only those protocols have which declare the feature."""
PER_AGENT = ("tools", "evidence")
"""Settings of moot's features that agents can have for themselves."""
LOOKED_UP = frozenset({"evidence", "passages", "search_by", "sources", "convincing"})
"""Settings of features that a protocol may have as its own; the feature then sees to them."""


class Calls(NamedTuple):
    """The calls of a debate.

    Attributes:
        least: the fewest.
        most: the most.
        formula: of the most, as the protocol states it.
        work_out: from a formula and its end, the fewest (0) or the most (1), to calls.
        answers: returns the fewest and the most answers of debaters.
        given: the turns that record what is given, and make no call.
    """

    least: int
    most: int
    formula: str
    work_out: Callable[[str, int], int]
    answers: Callable[[], tuple[int, int]]
    given: int = 0


@dataclass(slots=True)
class Environment:
    """What features open a debate with.

    Attributes:
        settings: those of the debate.
        model: returns a model by its name.
        path: where every call goes; a feature may put another in its place.
        replicate: the study's repetition, from 0.
        supplies: what is loaded for features.
    """

    settings: "DebateSettings"
    model: Callable[[str], Model]
    path: "CallPath"
    replicate: int
    supplies: "Supplies"


class Feature:
    """Something that any protocol can have.

    A subclass is one feature. It has those of the methods below that it needs; others are not
    called. Each is given ``own``, the feature's settings, and ``whole``, all settings of the debate
    or the sub-debate that has it.

    Attributes:
        names: its settings, which are the fields of ``Settings``.
        Settings: a frozen struct; its defaults stand for a feature that is off.
        PerAgent: a struct of those that agents can have for themselves; None where they cannot.
        seen_in: settings of protocols that bring the feature into force, too.
        key_place: where its content stands in a run's key. 0: in every key, for each dataset and
            arm; 1: for each arm that has any; ``LAST``: behind all else, with the feature's name.
        for_whole: whether a network has it as a whole, and none of its nodes for itself.
        for_nodes: whether nodes that state none of their own have the network's.
    """

    names: ClassVar[tuple[str, ...]] = ()
    Settings: ClassVar[type[msgspec.Struct]] = msgspec.Struct
    PerAgent: ClassVar[type[msgspec.Struct] | None] = None
    seen_in: ClassVar[tuple[str, ...]] = ()
    key_place: ClassVar[int] = LAST
    for_whole: ClassVar[bool] = False
    for_nodes: ClassVar[bool] = False

    def is_on(self, own: Any) -> bool:
        """Return whether the feature is in force with these settings of a debate."""
        return bool(own != self.Settings())

    def expand(
        self, given: Mapping[str, Any], protocol: Any, place: str, pack: "Pack"
    ) -> Mapping[str, Any]:
        """Return a protocol's given settings with those of the feature as they are recorded."""
        raise NotImplementedError

    def keep(
        self, given: Mapping[str, Any], settings: Mapping[str, Any], protocol: Any
    ) -> Iterable[str]:
        """Return the settings that are recorded even where they are as without them."""
        raise NotImplementedError

    def fits(self, value: Any, protocol: Any, place: str) -> bool:
        """Return whether a protocol takes a value that a whole study has."""
        raise NotImplementedError

    def describe(self, arms: "Sequence[Arm]") -> list[str]:
        """Return sentences on it, for wherever these arms are shown."""
        raise NotImplementedError

    def find_source(self, own: Any) -> str:
        """Return the source of the words of prompts: a name of ``moot.prompts.source_file``."""
        raise NotImplementedError

    def check(self, own: Any, whole: "DebateSettings", place: str, pack: "Pack") -> Any:
        """Return the settings, checked. Raise ``InputError`` where a debate cannot have them."""
        raise NotImplementedError

    def check_questions(
        self, own: Any, whole: "DebateSettings", questions: Questions, place: str
    ) -> None:
        """Raise ``InputError`` where the questions of a plan, or files, do not allow them."""
        raise NotImplementedError

    def check_together(self, every: Sequence[tuple[Any, str]]) -> None:
        """Raise ``InputError`` where the arms of a plan do not fit together.

        Args:
            every: the settings of each arm that has the feature, and its place in words.
        """
        raise NotImplementedError

    def complete(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what settings of one question mean beside what they say."""
        raise NotImplementedError

    def loader(self, folder: Path) -> Any:
        """Return the loader, for all arms of a plan, of the data that debates need beside settings.

        It has ``load``, which returns what the debates of an arm on a dataset need, and ``check``
        for when all are loaded; see ``ExampleLoader``. What is loaded stands in
        ``environment.supplies``. It has ``choose``, which returns what ``open`` needs before a
        question; ``content``, as a run's key has it; and ``count_letters``, by which prompts get
        longer.
        """
        raise NotImplementedError

    def content(self, own: Any, whole: "DebateSettings") -> list[Any]:
        """Return all that, with the settings, makes the feature what it is: hashes of files."""
        raise NotImplementedError

    def formula_settings(self, own: Any, end: int) -> dict[str, Any]:
        """Return settings as a formula of calls counts them: the fewest (0) or the most (1)."""
        raise NotImplementedError

    def count(self, own: Any, calls: Calls, whole: "DebateSettings") -> Calls:
        """Return the calls of a debate that has the feature."""
        raise NotImplementedError

    def called(self, own: Any) -> Iterable[str]:
        """Return the names of what is called beside the agents' models."""
        raise NotImplementedError

    def prompts(self, own: Any, whole: "DebateSettings", pack: "Pack") -> Iterable[str]:
        """Return the digests of the prompts that it adds to those of the protocol."""
        raise NotImplementedError

    def resolve(self, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """Return those of a file's settings that have paths, relative to the file's folder."""
        raise NotImplementedError

    async def open(self, own: Any, question: Question, environment: Environment) -> Any:
        """Return the state of the feature in a debate, before the debate is recorded."""
        raise NotImplementedError

    def opened(self, state: Any) -> dict[str, Any]:
        """Return what the first event of a debate says of the feature: fields of ``Opened``."""
        raise NotImplementedError

    async def begin(self, debate: Any, state: Any) -> None:
        """Begin a debate that is open, and record what is found."""
        raise NotImplementedError

    def end(self, debate: Any, state: Any) -> None:
        """End a debate that has its verdict, and record what came too late."""
        raise NotImplementedError

    def inherit(self, state: Any, inner: Any) -> Any:
        """Return the state in a debate within the debate; None where the feature is off there.

        Without it, the feature is on there where that debate's own settings say so.
        """
        raise NotImplementedError

    def seated(self, state: Any, config: Any) -> dict[str, Any]:
        """Return what the seat of an agent with an ``AgentConfig`` records of it, by setting."""
        raise NotImplementedError

    def pose(self, state: Any, agent: Any, question: Question, pack: "Pack") -> Question:
        """Return the question as an agent is shown it; the debate's own, where that is None."""
        raise NotImplementedError

    def beside(self, state: Any, exchange: Any) -> str:
        """Return a paragraph that goes with the question, wherever a prompt shows it."""
        raise NotImplementedError

    def lines(self, state: Any, exchange: Any) -> str:
        """Return a paragraph for the end of a prompt; empty for none."""
        raise NotImplementedError

    def reads_as(self, state: Any, exchange: Any) -> str:
        """Return the name of another parser for a reply; empty for none."""
        raise NotImplementedError

    def examples(self, state: Any, whole: "DebateSettings") -> Sequence[Example]:
        """Return the worked examples of a debate, as templates show them."""
        raise NotImplementedError

    async def around(self, state: Any, exchange: Any, fetch: Any) -> Any:
        """Return an exchange with its reply; ``fetch`` makes a call and records nothing."""
        raise NotImplementedError

    def rounds(self, state: Any, debate: Any, rounds: Any) -> None:
        """Change the rounds of a debate, see ``Rounds``."""
        raise NotImplementedError


class InForce(NamedTuple):
    """A feature of one debate.

    Attributes:
        feature: the feature.
        own: its settings.
        state: what ``open`` and ``inherit`` return; None where the feature has neither.
    """

    feature: Feature
    own: Any
    state: Any = None

    def has(self, hook: str) -> bool:
        """Return whether the feature has a hook."""
        return has_hook(self.feature, hook)


def has_hook(feature: Feature, name: str) -> bool:
    """Return whether a feature has a method of its own of this name."""
    return getattr(type(feature), name) is not getattr(Feature, name)


@cache
def find_feature(name: str) -> Feature | None:
    """Return the feature that has a setting of this name; None where none has.

    Raises:
        InputError: the package that brings it cannot be loaded.
    """
    if place := _PLACES.get(name):
        module, _, thing = place.partition(":")
        found: Feature = getattr(import_module(module), thing)
        return found
    for entry in find_entry_points(GROUP):
        if entry.name != name:
            continue
        try:
            loaded = entry.load()
        except Exception as error:  # noqa: BLE001 -- of a package that is not moot's
            raise InputError(
                f"setting {name!r}: its feature cannot be loaded: "
                f"{type(error).__name__}: {error} ({entry.value})"
            ) from None
        made: Any = loaded() if isinstance(loaded, type) else loaded
        return cast("Feature", made)
    return None


@cache
def _list_brought() -> tuple[str, ...]:
    """Return all settings of the features that packages bring."""
    return tuple(sorted({entry.name for entry in find_entry_points(GROUP)}))


@cache
def list_further() -> tuple[str, ...]:
    """Return those of them that every protocol has, behind the settings that ``ORDER`` pins."""
    return tuple(name for name in _list_brought() if name not in LOOKED_UP.union(ORDER))


@cache
def list_common() -> tuple[str, ...]:
    """Return the settings of every protocol, in the order in which they are recorded."""
    own = (name for name in ORDER if name not in DECLARED)
    return tuple(dict.fromkeys((*own, *list_further())))


@cache
def list_names() -> tuple[str, ...]:
    """Return all settings that bring a feature into force."""
    return tuple(name for name in (*_PLACES, *_list_brought()) if name != "steering")


def list_feature_settings() -> list[str]:
    """Return the settings of features that every protocol can have."""
    return [name for name in list_common() if name in _PLACES or name in _list_brought()]


def find_features(names: Iterable[str]) -> list[Feature]:
    """Return the features that have settings of these names, each once, in a pinned order."""
    found = {feature: None for name in names if (feature := find_feature(name)) is not None}
    return sorted(found, key=find_place)


def find_place(feature: Feature) -> tuple[int, str]:
    """Return the place of a feature in the pinned order of their hooks, to sort by."""
    name, places = feature.names[0], [*_PLACES]
    return places.index(name) if name in _PLACES else len(places), name


async def open_features(
    question: Question, environment: Environment, **states: object
) -> tuple[InForce, ...]:
    """Return the features of a debate, and of those within it, with their states.

    Args:
        question: what is debated.
        environment: of the debate.
        states: of features that no setting brings into force; None for one that is not.
    """
    found = {each.feature: each for each in environment.settings.features_within}
    for name in (name for name, state in states.items() if state is not None):
        found |= {each: InForce(each, None, states[name]) for each in find_features([name])}
    opened: list[InForce] = []
    for feature in sorted(found, key=find_place, reverse=True):
        each = found[feature]
        if each.has("open"):
            state = await feature.open(each.own, question, environment)
            each = each._replace(state=state)
        opened.insert(0, each)
    return tuple(opened)


def find_state(features: Iterable[InForce], name: str) -> Any:
    """Return the state of the feature that has a setting of this name; None where it is off."""
    return next((each.state for each in features if name in each.feature.names), None)
