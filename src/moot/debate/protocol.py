"""What a protocol is: an async function that reads like its paper's algorithm, registered."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, get_type_hints

import msgspec

from moot.core.errors import InputError, check_known
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.core.recorded_settings import WithinSettings, read_settings
from moot.core.registry import Registry
from moot.core.stored import Arm
from moot.debate import agent_config
from moot.debate.call_formula import evaluate_formula
from moot.debate.debate_settings import DebateSettings, find_given
from moot.debate.decision import check_rule
from moot.debate.feature import (
    ALWAYS,
    CROWDS,
    OFF,
    ORDER,
    Calls,
    Feature,
    find_feature,
    find_features,
    has_hook,
    list_feature_settings,
    list_further,
)
from moot.debate.protocol_settings import (
    KEY_SHOWN,
    AgentSettings,
    BallotRule,
    DecisionRule,
    SettingInfo,
    Sourced,
    convert_settings,
    describe_settings,
    find_omitted,
    list_marked,
    list_parameters,
    list_struct_fields,
)
from moot.debate.stop_rule import StageFormulas, StageReached, Stopping
from moot.parsing.ballot import FORMS
from moot.parsing.parser import registry as parsers
from moot.prompts.packs import Pack, load_pack
from moot.prompts.source_file import OURS

if TYPE_CHECKING:
    from moot.debate.protocol_groups import ProtocolGroup

Algorithm = Callable[..., Awaitable[Verdict]]
Roles = Callable[[Mapping[str, Any]], Sequence[str]]
CheckQuestion = Callable[[Question], None]
CheckSettings = Callable[..., dict[str, Any]]
ProtocolKind = Literal["debate", "society", "single", "samples", "control"]
"""What a protocol is in comparisons; see ``protocol``."""
FindKind = Callable[[Mapping[str, Any]], ProtocolKind]
DEBATES: tuple[ProtocolKind, ...] = ("debate", "society")
"""The kinds whose agents talk with each other: those that are judged beside a vote."""
NO_METHODS: tuple[ProtocolKind, ...] = ("samples", "single")
"""The kinds that others are compared with, and that are compared with no vote themselves."""

RULE = "rule"
"""The kind of an arm that has the debates of another, decided by another rule."""
NOT_DEBATES = frozenset({"samples", "single", "vote", RULE})
"""The kinds of arms that are no method of debate."""


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
        base: a struct of its own settings and of those of every protocol's agents.
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
        asks: checks a question before anything is called; None where it takes all.
        features: settings of the features that it declares.
        answers: the most answers that its debaters give, as a formula; empty where it states none.
        closing: the step whose reply is the verdict's words, wherever it is asked; may be empty.
        steered: whether its rounds go through ``Debate.until_stop``, where people can steer it.
        stages: its stages in order, each with the formulas of its calls; empty where it has none.
        signal: what its gate compares with a threshold that can be fitted; empty without one.
        stated_group: the group that it names itself; empty for the usual one, see ``group``.
        sources: the values of its setting ``faithful`` beside moot's own: ``paper``, ``code``.
    """

    name: str
    algorithm: Algorithm
    paper: str
    max_calls: str
    min_calls: str
    own: type[msgspec.Struct]
    base: type[msgspec.Struct]
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
    asks: CheckQuestion | None = None
    features: tuple[str, ...] = ()
    answers: str = ""
    closing: str = ""
    steered: bool = False
    stages: StageFormulas = field(default_factory=dict)
    signal: str = ""
    stated_group: str = ""
    sources: tuple[str, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Whether the library that it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None

    @property
    def has_stops(self) -> bool:
        """Whether the setting ``stop`` can end it."""
        return "stop" in self.features

    @property
    def needs_answer(self) -> bool:
        """Whether it needs a known right answer, and wrong ones: it is for studies alone."""
        if self.asks is None:
            return False
        from moot.debate.opening_values import check_wrong

        return self.asks is check_wrong

    @property
    def looks_up(self) -> bool:
        """Whether it looks documents up itself: ``evidence`` is a setting of its own."""
        return "evidence" in self.own.__struct_fields__

    @property
    def file(self) -> Path:
        """Its source file."""
        return Path(inspect.getfile(self.algorithm))

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.algorithm) or "").partition("\n")[0]

    @property
    def when(self) -> str:
        """When to use it, in a sentence; empty where its docstring does not say so."""
        paragraphs = (inspect.getdoc(self.algorithm) or "").split("\n\n")
        return next((" ".join(each.split()) for each in paragraphs if "Use it " in each[:7]), "")

    @property
    def group(self) -> "ProtocolGroup":
        """Its group in lists."""
        from moot.debate.protocol_groups import find_group

        return find_group(self.stated_group, self.kind, self.signal)

    @property
    def settings(self) -> type[msgspec.Struct]:
        """A struct of all its settings, those of features among them."""
        return _join_settings(self)

    @property
    def setting_names(self) -> tuple[str, ...]:
        """All its settings as they are recorded: those of every protocol, then its own."""
        return _list_names(self)

    def read(self, settings: Mapping[str, Any]) -> DebateSettings:
        """Return settings as ``check`` gives them with the features that are in force."""
        return DebateSettings(settings, self, read_debate)

    @property
    def described_settings(self) -> list[SettingInfo]:
        """All settings, its own first."""
        return list(_describe_settings(self))

    @property
    def fitted_setting(self) -> str:
        """The setting of a gate that may name a file of what was fitted; empty for no gate."""
        named = "classifier" if "classifier" in self.own.__struct_fields__ else "threshold"
        return named if self.signal else ""

    @property
    def studied_settings(self) -> list[str]:
        """Its own settings that show agents the right answer: they are for studies alone."""
        return list_marked(self.own, KEY_SHOWN)

    def list_choices(self, name: str) -> tuple[str, ...]:
        """Return the names that a setting of text chooses from; empty for other settings."""
        from moot.debate.decision import registry as decisions  # it imports this module

        if name == "style":
            return tuple(self.pack().styles)
        if name == "decision":
            return tuple(decisions.names())
        return ("all", *FORMS) if name == "forms" else ()

    @staticmethod
    def decode_list(text: str, where: str) -> Any:  # noqa: ANN401 -- a setting is anything
        """Return what a setting given as text says: a list in JSON, else the text."""
        return agent_config.decode_list(text, where)

    def takes_value(self, name: str, value: object) -> bool:
        """Return whether a setting takes this very list, and not one of the values in it."""
        if name in CROWDS:
            return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
        if name == agent_config.MODELS:
            return True
        try:
            msgspec.convert(value, _list_kinds(self).get(name))
        except msgspec.ValidationError:
            return False
        return True

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
        pack, expanded, features = self.pack(overlay), given, find_given(given)
        for feature in features:
            if has_hook(feature, "expand"):
                expanded = feature.expand(expanded, self, place, pack)
        settings = self._convert(expanded, place)
        whole = self.read(settings)
        check_known("style", sorted(whole.styles), pack.styles, where=place)
        for name in self.rules:
            rule, options = check_rule(
                settings[name], place, ballots=self.ballots, roles=self.roles
            )
            if rule.verify is not None:
                rule.verify(options, settings)
        for each in whole.features:
            if each.has("check"):
                checked = each.feature.check(each.own, whole, place, pack)
                settings |= _list_set(each.feature, checked)
        if self.verify is not None:
            more = settings | {"overlay": overlay, "given": given}
            taken = {name: more[name] for name in _names_taken(self.verify) & more.keys()}
            settings = self.verify(settings, place, **taken)
        keeping = (feature for feature in features if has_hook(feature, "keep"))
        kept = {name for each in keeping for name in each.keep(given, settings, self)}
        return {
            name: value
            for name, value in settings.items()
            if name not in self.omitted or value != self.omitted[name] or name in kept
        }

    def _convert(self, given: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Return all settings, each of its type, in the order in which they are recorded."""
        check_known("setting", given.keys(), self.setting_names, where=place)
        base = {name: each for name, each in given.items() if name in self.base.__struct_fields__}
        found = msgspec.structs.asdict(convert_settings(self.base, base, where=place))
        for feature in find_features(given.keys() - base.keys()):
            own = {name: given[name] for name in feature.names if name in given}
            read = _list_set(feature, convert_settings(feature.Settings, own, where=place))
            found = {**read, **found}
        found = {**OFF, **ALWAYS, **found}
        return {name: found[name] for name in self.setting_names if name in found}

    def count(self, settings: Mapping[str, Any]) -> tuple[int, int]:
        """The fewest and the most calls a debate makes with these settings, for confidences too."""
        return self.count_all(self.read(settings))[:2]

    def count_all(self, whole: DebateSettings) -> Calls:
        """Return the calls of a debate with these settings, those for its features included."""
        known = {**self.omitted, **whole.flat}

        def work_out(formula: str, end: int) -> int:
            return evaluate_formula(formula, known, _count_within, end)

        ends = dict(known)
        for each in whole.features:
            if each.has("formula_settings"):
                ends |= each.feature.formula_settings(each.own, 0)
        calls = Calls(
            evaluate_formula(self.min_calls, ends, _count_within, 0),
            work_out(self.max_calls, 1),
            self.max_calls,
            work_out,
            lambda: self.count_answers(known),
        )
        for each in whole.features:
            if each.has("count"):
                calls = each.feature.count(each.own, calls, whole)
        return calls

    def count_answers(self, settings: Mapping[str, Any]) -> tuple[int, int]:
        """The fewest and the most answers of debaters in a debate that does not end early."""
        count = partial(evaluate_formula, self.answers, settings, _count_answers_within)
        return count(0), count(1)

    def roles_of_opening(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the roles whose every agent is asked the opening; none where the first seat is."""
        own = self.opening_roles
        return tuple(own(settings) if callable(own) else own)

    def list_runs(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """Return the names of the protocols that it runs as sub-debates, without those of nodes."""
        own = self.runs(settings) if callable(self.runs) else self.runs
        return [registry.get(name).name for name in own]

    def pack(self, overlay: Path | None = None, source: str = OURS) -> Pack:
        """Its prompts, those of a source where ``source`` names one, with the user's on top."""
        others = registry.names() if overlay else ()
        pack = load_pack(
            self.name, beside=self.file, overlay=overlay, protocols=others, source=source
        )
        for name, where in pack.readers.items():
            parsers.get(name, where=f"{where}: reads_as")
        return pack

    async def run(self, debate: Any) -> Verdict:  # noqa: ANN401 -- a Debate, which stands above
        """Run the algorithm on a debate, with the settings it declares, and return its verdict.

        Raises:
            TypeError: the algorithm returned something else.
        """
        own = debate.context.whole.pick(self.arguments)
        try:
            verdict = await self.algorithm(debate, debate.question, **own)
        except StageReached:
            return Verdict(answer=None, by="until")
        if not isinstance(verdict, Verdict):  # an algorithm may be a third party's
            raise TypeError(f"protocol {self.name}: it gave back {verdict!r} and no Verdict")
        return verdict


def _load_own(name: str) -> Protocol:
    """Return the protocol in a file of the user's, as ``mymethod.py:second_thoughts``."""
    from moot.debate.own_method import load_own

    return load_own(name)


registry: Registry[Protocol] = Registry("protocol", "moot.protocols", from_file=_load_own)


def list_inner_protocols(settings: Mapping[str, Any]) -> list[str]:
    """Return the protocol of the debate behind a gate with these settings."""
    inner = read_settings(settings, WithinSettings).inner
    return [inner["protocol"]] if isinstance(inner, Mapping) else []


def is_steerable(protocol: Protocol, settings: Mapping[str, Any]) -> bool:
    """Whether a person can steer a debate with these settings while it runs.

    A protocol with a gate is steered as the debate behind the gate.
    """
    if protocol.runs is list_inner_protocols:
        return all(registry.get(name).steered for name in list_inner_protocols(settings))
    return protocol.steered


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


def kind_of_arm(arm: Arm) -> str:
    """Return the kind of an arm in comparisons: its own, else that of its protocol."""
    return arm.kind or kind_of(arm.protocol, arm.settings)


class Traits(TypedDict, total=False):
    """The words that some protocols say of themselves beside those of all.

    Attributes:
        style: the prompt style of its agents where none is set; else that of every protocol.
        opened: the roles that answer first and apart, all of which an opening is put to, or a
            function of the settings; else it is put to the first seat.
        first: the role whose agents, on the first seats, each answer by the step ``answer`` before
            any reads another. A gate can ask some of them first, and hand over what they said.
        voters: the roles whose final answers a decision rule counts, where not those of all.
        answers: the most answers of its debaters, as a formula; without it no confidence that takes
            further calls. Where a debate can end early, its fewest calls are all answers.
        closing: the step whose reply is the verdict's words, sent while they are written.
        steered: True where people can steer it: ``debate.until_stop`` yields its rounds.
        signal: what its gate compares with a threshold that ``moot tune`` can fit.
        needs: the module of the library that it runs on, which is an extra named as the protocol.
        asks: raises ``InputError`` for a question that it does not take. With ``check_wrong`` of
            ``moot.debate.opening_values`` a right answer has to be known, and wrong ones.
        agreement: True where agents can be told how far to agree, by the pack's slot ``agreement``.
        shared: a struct of further settings of its own, which other protocols have too. They are
            read from ``debate.context.settings``. ``Stopping`` is for ``debate.until_stop``.
        stages: of each stage, in order, formulas of its fewest and most calls. It then has the
            settings ``until`` and ``draft``: see ``debate.get_given``, ``asks`` and ``end_stage``.
        group: its group in lists, of ``moot.debate.protocol_groups``; else ``gates`` with a signal,
            ``votes`` for a kind without debate, ``debates`` for all others.
        faithful: the sources that it can follow, ``paper`` and ``code``. It then has the setting
            ``faithful``, and a file of its differences from them; see ``moot.debate.faithful``.
    """

    style: str
    opened: Sequence[str] | Roles
    first: str
    voters: Sequence[str]
    answers: str
    closing: str
    steered: bool
    signal: str
    needs: str
    asks: CheckQuestion
    agreement: bool
    shared: type[msgspec.Struct]
    stages: StageFormulas
    group: str
    faithful: Sequence[str]


def protocol(
    *,
    paper: str,
    calls: str,
    fewest: str = "",
    name: str = "",
    roles: Sequence[str] = (),
    verify: CheckSettings | None = None,
    kind: ProtocolKind | FindKind = "debate",
    runs: Sequence[str] | Roles = (),
    **traits: Unpack[Traits],
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
        verify: returns the settings, which it looks at as a whole; it is given the place to name in
            an ``InputError``, and each setting that it has a parameter of the same name for. A
            parameter ``overlay`` is the user's prompts, ``given`` the settings that were given.
        kind: what it is in comparisons. ``"single"``: one agent answers once and alone.
            ``"samples"``: the first role draws answers to one prompt, as many as ``samples`` says;
            any first number of them is a baseline at a debate's price. ``"society"``: agents of
            another framework debate. ``"control"``: agents work apart, or read what no other said
            to them: a vote that stops early, an agent that goes over its own replies, a part of a
            debate that tells why it is better. ``"debate"``: all others. Or a function of the
            settings.
        runs: the protocols that it runs as sub-debates, or a function of the settings that gives
            them: their prompts are part of a run's key, too.
        traits: what some protocols say beside; see ``Traits``.

    Raises:
        InputError: when it decorates, for a setting without a type or a default.
    """

    def register(algorithm: Algorithm) -> Protocol:
        own_name = name or algorithm.__name__.replace("_", "-")
        if unknown := traits.keys() - Traits.__annotations__.keys():
            raise TypeError(f"protocol {own_name}: unknown: {', '.join(sorted(unknown))}")
        arguments = list(list_parameters(algorithm, where=f"protocol {own_name}"))
        staged = find_feature("until") if traits.get("stages") else None
        sourced = Sourced if traits.get("faithful") else None
        named = (traits.get("shared"), staged and staged.Settings, sourced)
        structs = [each for each in named if each]
        fields = [*arguments, *chain.from_iterable(map(list_struct_fields, structs))]
        made = Protocol(
            name=own_name,
            algorithm=algorithm,
            paper=paper,
            max_calls=calls,
            min_calls=fewest or calls,
            own=msgspec.defstruct("Own", fields, frozen=True, kw_only=True),
            base=_make_base(fields, traits.get("style", "")),
            roles=tuple(roles),
            verify=verify,
            omitted=find_omitted(fields),
            rules=tuple(name for name, kind, _ in fields if kind in {DecisionRule, BallotRule}),
            kind=kind,
            runs=runs,
            arguments=tuple(name for name, _, _ in arguments),
            ballots=any(kind == BallotRule for _, kind, _ in fields),
            **_read_traits(traits),
        )
        registry.add(own_name, made)
        return made

    return register


def _make_base(fields: list[tuple[str, Any, Any]], style: str) -> type[msgspec.Struct]:
    """Return a struct of a protocol's own settings and of those of its agents."""
    usual = [("style", get_type_hints(AgentSettings, include_extras=True)["style"], style)]
    every = fields + usual * bool(style)
    return msgspec.defstruct("Base", every, bases=(AgentSettings,), frozen=True, kw_only=True)


def _read_traits(traits: Traits) -> dict[str, Any]:
    """Return what a protocol says of itself as fields of ``Protocol``."""
    shared = traits.get("shared")
    stops = shared is not None and issubclass(shared, Stopping)
    declared = {
        "agreement": traits.get("agreement"),
        **dict.fromkeys(Stopping.__struct_fields__, stops),
        **dict.fromkeys(("until", "draft"), traits.get("stages")),
        "faithful": traits.get("faithful"),
    }
    return {
        "opening_roles": traits.get("opened", ()),
        "first_role": traits.get("first", ""),
        "voters": tuple(traits.get("voters", ())),
        "answers": traits.get("answers", ""),
        "closing": traits.get("closing", ""),
        "steered": traits.get("steered", False) or stops,
        "signal": traits.get("signal", ""),
        "needs": traits.get("needs", ""),
        "asks": traits.get("asks"),
        "stages": traits.get("stages", {}),
        "stated_group": traits.get("group", ""),
        "sources": tuple(traits.get("faithful", ())),
        "features": tuple(name for name, has in declared.items() if has),
    }


@cache
def _names_taken(verify: CheckSettings) -> frozenset[str]:
    return frozenset([*inspect.signature(verify).parameters][2:])


def _list_set(feature: Feature, own: msgspec.Struct) -> dict[str, Any]:
    """Return those of a feature's settings that moot has, or that differ from their default."""
    usual = feature.Settings()
    return {
        name: value
        for name, value in msgspec.structs.asdict(own).items()
        if name in OFF or name in ALWAYS or value != getattr(usual, name)
    }


def read_debate(table: Mapping[str, Any]) -> DebateSettings:
    """Return the settings of a debate within another, which name its protocol."""
    known = registry.find(str(table.get("protocol", "")))
    return DebateSettings(table) if known is None else known.read(table)


@cache
def _list_names(protocol: Protocol) -> tuple[str, ...]:
    own = protocol.own.__struct_fields__
    names = {*protocol.base.__struct_fields__, *list_feature_settings(), *protocol.features}
    pinned = (name for name in (*ORDER, *list_further()) if name in names and name not in own)
    return (*dict.fromkeys(pinned), *own)


@cache
def _join_settings(protocol: Protocol) -> type[msgspec.Struct]:
    every = [
        protocol.base,
        *(
            feature.Settings
            for feature in find_features([*list_feature_settings(), *protocol.features])
        ),
    ]
    fields = {each[0]: each for struct in reversed(every) for each in list_struct_fields(struct)}
    joined = [fields[name] for name in protocol.setting_names]
    return msgspec.defstruct("Settings", joined, frozen=True, kw_only=True)


def _count_within(table: Mapping[str, Any]) -> tuple[int, int]:
    return registry.get(table["protocol"]).count(table)


def _count_answers_within(table: Mapping[str, Any]) -> tuple[int, int]:
    return registry.get(table["protocol"]).count_answers(table)


@cache
def _list_kinds(protocol: Protocol) -> dict[str, Any]:
    return get_type_hints(protocol.settings, include_extras=True)


@cache
def _describe_settings(protocol: Protocol) -> tuple[SettingInfo, ...]:
    found = {each.name: each for each in describe_settings(protocol.settings)}
    return tuple(found[name] for name in dict.fromkeys((*protocol.own.__struct_fields__, *found)))
