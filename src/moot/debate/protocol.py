"""What a protocol is: an async function that reads like its paper's algorithm, registered."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_type_hints

import msgspec

from moot.core.errors import InputError, check_known
from moot.core.events import Verdict
from moot.core.registry import Registry
from moot.debate import agent_config
from moot.debate.asked_confidence import check_confidence, count_further
from moot.debate.call_formula import evaluate_formula
from moot.debate.decision import check_rule
from moot.debate.protocol_settings import (
    Common,
    DecisionRule,
    Modulated,
    SettingInfo,
    convert_settings,
    describe_settings,
    find_omitted,
    list_names,
    list_parameters,
    list_struct_fields,
)
from moot.debate.stages import Staged, StageFormulas, StageReached, check_stages, count_asked
from moot.debate.stop_rule import Stopping, find_stops
from moot.debate.toolbox import check_tool_settings
from moot.parsing.parsers import registry as parsers
from moot.prompts.packs import Pack, load_pack

Algorithm = Callable[..., Awaitable[Verdict]]
Roles = Callable[[Mapping[str, Any]], Sequence[str]]
CheckSettings = Callable[..., dict[str, Any]]
ProtocolKind = Literal["debate", "society", "single", "samples", "control"]
"""What a protocol is in comparisons; see ``protocol``."""
FindKind = Callable[[Mapping[str, Any]], ProtocolKind]
DEBATES: tuple[ProtocolKind, ...] = ("debate", "society")
"""The kinds whose agents talk with each other: those that are judged beside a vote."""


@dataclass(frozen=True, slots=True, eq=False)
class Protocol:
    """A registered protocol.

    Attributes:
        name: as it is asked for, e.g. ``"society-of-minds"``.
        algorithm: the function itself.
        paper: where it comes from.
        max_calls: how many model calls a debate makes at most, as a formula over its settings.
        min_calls: how many at least, where it can end early; else the same formula.
        own: a struct of its own settings.
        settings: a struct of all its settings.
        roles: the roles its agents have, in the order in which they are seated.
        verify: looks at the settings once each is of its type, and may work them out further.
        opening_roles: the roles that are all asked the opening, or a function of the settings.
        needs: the module of another library that it runs on, or empty; an extra of its name.
        voters: the roles that vote; empty where all debaters do.
        omitted: the defaults of settings that are recorded only where they differ, by name.
        rules: the settings that name a decision rule.
        kind: what it is in comparisons, or a function of the settings.
        runs: the protocols of its sub-debates, or a function of the settings that gives them.
        arguments: its own settings that the algorithm is given; shared ones are in the debate.
        ballots: whether its agents give ballots, so that a decision rule can count them.
        first_role: the role of those that answer first and apart, on the first seats; may be empty.
        has_stops: whether the setting ``stop`` can end it.
        needs_answer: whether it needs a known right answer, and wrong ones: for studies alone.
        takes_motions: whether its question is a motion, and its verdict the side that has won.
        answers: the most answers that its debaters give, as a formula; empty where it states none.
        closing: the step whose reply is the verdict's words, wherever it is asked; may be empty.
        steered: whether its rounds go through ``Debate.until_stop``, where people can steer it.
        stages: its stages in order, each with the formulas of its calls; empty where it has none.
        signal: what its gate compares with a threshold that can be fitted; empty without one.
    """

    name: str
    algorithm: Algorithm
    paper: str
    max_calls: str
    min_calls: str
    own: type[msgspec.Struct]
    settings: type[msgspec.Struct]
    roles: tuple[str, ...] = ()
    verify: CheckSettings | None = None
    opening_roles: Sequence[str] | Roles = ()
    needs: str = ""
    voters: tuple[str, ...] = ()
    omitted: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    kind: ProtocolKind | FindKind = "debate"
    runs: Sequence[str] | Roles = ()
    arguments: tuple[str, ...] = ()
    ballots: bool = False
    first_role: str = ""
    has_stops: bool = False
    needs_answer: bool = False
    takes_motions: bool = False
    answers: str = ""
    closing: str = ""
    steered: bool = False
    stages: StageFormulas = field(default_factory=dict)
    signal: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether the library that it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None

    @property
    def looks_up(self) -> bool:
        """Whether it looks documents up itself: ``evidence`` is a setting of its own."""
        return "evidence" in self.own.__struct_fields__

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.algorithm) or "").partition("\n")[0]

    @property
    def described_settings(self) -> list[SettingInfo]:
        """All settings, its own first."""
        return list(_describe_settings(self))

    @property
    def fitted_setting(self) -> str:
        """The setting of a gate that may name a file of what was fitted; empty for no gate."""
        named = "classifier" if "classifier" in self.own.__struct_fields__ else "threshold"
        return named if self.signal else ""

    def takes_value(self, name: str, value: object) -> bool:
        """Return whether a setting takes this very list, and not one of the values in it."""
        return agent_config.takes_value(self.settings, name, value)

    @property
    def calls(self) -> str:
        """How many calls a debate makes, in words."""
        return " to ".join(dict.fromkeys((self.min_calls, self.max_calls)))

    def check(
        self,
        given: Mapping[str, Any],
        *,
        where: str = "",
        absent: bool = False,
        overlay: Path | None = None,
    ) -> dict[str, Any]:
        """Return every setting in force, by name. Raises ``InputError`` naming what is wrong.

        What is recorded only where it differs from its default is left out where it does not.

        Args:
            given: the settings that are set.
            where: their place, for errors.
            absent: True where no debate is to be run: the library that it needs may be missing.
            overlay: the user's file of prompts, which may have styles of its own.
        """
        place = where or f"protocol {self.name}"
        if not self.is_installed and not absent:
            raise InputError(
                f"{place}: it runs on {self.needs}, which is not installed: "
                f"pip install 'moot[{self.name}]'"
            )
        own = self.own.__struct_fields__
        read = agent_config.read_agents(given, own, self.roles, where=place)
        checked = convert_settings(self.settings, read, where=place)
        settings = {name: getattr(checked, name) for name in list_names(self.settings, own)}
        counts = {name: settings[name] for name in agent_config.COUNTS if name in own}
        styles = self.pack(overlay).styles
        settings["cast"] = agent_config.check_agents(
            settings["cast"], self.roles, styles, counts=counts, where=place
        )
        if self.looks_up or self.needs:
            agent_config.forbid_evidence(settings["cast"], self.name, where=place)
        check_known("style", [settings["style"]], styles, where=place)
        check_tool_settings(settings, place)
        if settings["confidence"] is not None:
            check_confidence(
                settings, self.pack(overlay), place, needs=self.needs, answers=self.answers
            )
        for name in self.rules:
            check_rule(settings[name], settings, place, ballots=self.ballots, roles=self.roles)
        if self.has_stops:
            find_stops(settings["stop"], where=place)
        settings = check_stages(settings, self.stages, place)
        if self.verify is not None:
            more = {"overlay": overlay, "given": given}
            taken = {name: more[name] for name in _names_taken(self.verify) & more.keys()}
            settings = self.verify(settings, place, **taken)
        return {
            name: value
            for name, value in settings.items()
            if name not in self.omitted or value != self.omitted[name]
        }

    def count(self, settings: Mapping[str, Any]) -> tuple[int, int]:
        """The fewest and the most calls a debate makes with these settings, for confidences too."""
        ends = {"rounds": 1} if self.has_stops and settings.get("stop") else {}
        settings = {**self.omitted, **settings}
        least = evaluate_formula(self.min_calls, settings | ends, _count_within, 0)
        most = evaluate_formula(self.max_calls, settings, _count_within, 1)
        count = partial(evaluate_formula, settings=settings, count_within=_count_within)
        least, most = count_asked((least, most), self.stages, settings, count)
        if settings.get("tools") and "tools" not in self.max_calls:  # a formula may count its own
            most *= 1 + 2 * settings["max_tool_calls"]  # calls of tools, and a reply after each
        if further := count_further(settings):
            fewest, answers = self.count_answers(settings)
            return least + further * min(least, fewest), most + further * answers
        return least, most

    def count_answers(self, settings: Mapping[str, Any]) -> tuple[int, int]:
        """The fewest and the most answers of debaters in a debate that does not end early."""
        count = partial(evaluate_formula, self.answers, settings, _count_answers_within)
        return count(0), count(1)

    def roles_of_opening(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the roles whose every agent is asked the opening; none where the first seat is."""
        own = self.opening_roles
        return tuple(own(settings) if callable(own) else own)

    def subdebate_protocols(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the protocols that a debate may run as sub-debates."""
        own = self.runs(settings) if callable(self.runs) else self.runs
        nodes = (node["protocol"] for node in settings.get("nodes", ()))
        return tuple(dict.fromkeys((*own, *nodes)))

    def pack(self, overlay: Path | None = None) -> Pack:
        """Its prompts, with the user's laid over ours."""
        beside = _find_file(self.algorithm)
        others = registry.names() if overlay else ()
        pack = load_pack(self.name, beside=beside, overlay=overlay, protocols=others)
        for name, where in pack.readers.items():
            parsers.get(name, where=f"{where}: reads_as")
        return pack

    async def run(self, debate: Any, settings: Mapping[str, Any]) -> Verdict:  # noqa: ANN401 -- a Debate, which stands above
        """Run the algorithm on a debate, with the settings it declares, and return its verdict.

        Raises:
            TypeError: the algorithm returned something else.
        """
        own = {name: settings[name] for name in self.arguments if name in settings}
        try:
            verdict = await self.algorithm(debate, debate.question, **own)
        except StageReached:
            return Verdict(answer=None, by="until")
        if not isinstance(verdict, Verdict):  # an algorithm may be a third party's
            raise TypeError(f"protocol {self.name}: it gave back {verdict!r} and no Verdict")
        return verdict


MOTIONS = "text", "boolean"
"""The kinds of questions that can be motions."""
registry: Registry[Protocol] = Registry("protocol", "moot.protocols")


def kind_of(name: str, settings: Mapping[str, Any] | None = None) -> ProtocolKind:
    """Return what the protocol of this name is; a debate where it is not installed any more.

    Args:
        name: of the protocol.
        settings: of an arm: with some of them a protocol is a vote or a control.
    """
    found = registry.find(name)
    if found is None:
        return "debate"
    return found.kind(settings or {}) if callable(found.kind) else found.kind


def protocol(
    *,
    paper: str,
    calls: str,
    fewest: str = "",
    name: str = "",
    roles: Sequence[str] = (),
    agreement: bool = False,
    style: str = "",
    verify: CheckSettings | None = None,
    opened: Sequence[str] | Roles = (),
    needs: str = "",
    voters: Sequence[str] = (),
    kind: ProtocolKind | FindKind = "debate",
    runs: Sequence[str] | Roles = (),
    shared: type[msgspec.Struct] | None = None,
    ballots: bool = False,
    first: str = "",
    needs_answer: bool = False,
    takes_motions: bool = False,
    answers: str = "",
    closing: str = "",
    steered: bool = False,
    stages: StageFormulas | None = None,
    signal: str = "",
) -> Callable[[Algorithm], Protocol]:
    """Register an async function ``(debate, question, *, settings…) -> Verdict`` as a protocol.

    Its name is the function's, with hyphens; its settings are its keyword parameters, with their
    types, ranges (``Annotated[int, msgspec.Meta(ge=1)]``) and defaults.

    Args:
        paper: where the algorithm comes from.
        calls: the most calls of one debate, over the settings: numbers, ``+ - *``, brackets and
            ``2 if chair else 1`` for a setting that is on, or not empty; ``nodes`` is the sum over
            all nodes of a network, ``inner`` the debate behind a gate.
        fewest: the fewest calls, where a debate can end early.
        name: another name than the function's.
        roles: the roles of its agents, in the order in which they are seated.
        agreement: True where agents can be told how far to agree, by the pack's slot ``agreement``.
        style: the prompt style of its agents where none is set; else that of every protocol.
        verify: returns the settings, which it looks at as a whole; it is given the place to name in
            an ``InputError``, and as ``overlay`` the user's prompts, as ``given`` what was given.
        opened: the roles that answer first and apart, all of which an opening is put to, or a
            function of the settings; else it is put to the first seat.
        needs: the module of the library that it runs on, which is an extra named as the protocol.
        voters: the roles whose final answers a decision rule counts, where not those of all.
        kind: what it is in comparisons. ``"single"``: one agent answers once and alone.
            ``"samples"``: the first role draws answers to one prompt, as many as ``samples`` says;
            any first number of them is a baseline at a debate's price. ``"society"``: agents of
            another framework debate. ``"control"``: agents work apart, or read what no other said
            to them: a vote that stops early, an agent that goes over its own replies, a part of a
            debate that tells why it is better. ``"debate"``: all others. Or a function of the
            settings.
        runs: the protocols that it runs as sub-debates, or a function of the settings that gives
            them: their prompts are part of a run's key, too.
        shared: a struct of further settings of its own, which other protocols have too. They are
            read from ``debate.context.settings``. ``Stopping`` is for ``debate.until_stop``.
        first: the role whose agents, on the first seats, each answer by the step ``answer`` before
            any reads another. A gate can ask some of them first, and hand over what they said.
        ballots: True when its agents give ballots, so that a decision rule can count them.
        needs_answer: True where a right answer has to be known, and wrong ones: for studies alone.
        takes_motions: True where its question has to be a motion, of kind text or boolean.
        answers: the most answers of its debaters, as a formula; without it no confidence that takes
            further calls. Where a debate can end early, its fewest calls are all answers.
        closing: the step whose reply is the verdict's words, sent while they are written.
        steered: True where people can steer it: ``debate.until_stop`` yields its rounds.
        stages: of each stage, in order, formulas of its fewest and most calls. It then has the
            settings ``until`` and ``draft``: see ``debate.get_given``, ``asks`` and ``end_stage``.
        signal: what its gate compares with a threshold that ``moot tune`` can fit.

    Raises:
        InputError: when it decorates, for a setting without a type or a default.
    """

    def register(algorithm: Algorithm) -> Protocol:
        own_name = name or algorithm.__name__.replace("_", "-")
        arguments = list(list_parameters(algorithm, where=f"protocol {own_name}"))
        further = [each for each in (shared, Staged if stages else None) if each]
        fields = [*arguments, *chain.from_iterable(map(list_struct_fields, further))]
        bases = (Modulated if agreement else Common,)
        own = msgspec.defstruct("Own", fields, frozen=True, kw_only=True)
        usual = [("style", get_type_hints(Common, include_extras=True)["style"], style)]
        every = fields + usual * bool(style)
        settings = msgspec.defstruct("Settings", every, bases=bases, frozen=True, kw_only=True)
        made = Protocol(
            own_name,
            algorithm,
            paper,
            calls,
            fewest or calls,
            own,
            settings,
            tuple(roles),
            verify,
            opened,
            needs,
            tuple(voters),
            find_omitted(fields),
            tuple(name for name, kind, _ in fields if kind == DecisionRule),
            kind,
            runs,
            tuple(name for name, _, _ in arguments),
            ballots,
            first,
            (stops := shared is not None and issubclass(shared, Stopping)),
            needs_answer,
            takes_motions,
            answers,
            closing,
            steered or stops,
            stages or {},
            signal,
        )
        registry.add(own_name, made)
        return made

    return register


@cache
def _names_taken(verify: CheckSettings) -> frozenset[str]:
    return frozenset(inspect.signature(verify).parameters)


def _count_within(settings: Mapping[str, Any]) -> tuple[int, int]:
    return registry.get(settings["protocol"]).count(settings)


def _count_answers_within(settings: Mapping[str, Any]) -> tuple[int, int]:
    return registry.get(settings["protocol"]).count_answers(settings)


@cache
def _find_file(algorithm: Algorithm) -> Path:
    return Path(inspect.getfile(algorithm))


@cache
def _describe_settings(protocol: Protocol) -> tuple[SettingInfo, ...]:
    found = {each.name: each for each in describe_settings(protocol.settings)}
    return tuple(found[name] for name in dict.fromkeys((*protocol.own.__struct_fields__, *found)))
