"""Agents: models, styles and sampling of single agents, ``agents = [{…}, …]``, or ``models``."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, UnsetType

from moot.core.calls import Effort
from moot.core.errors import InputError, UnknownName, check_known, split_fault
from moot.debate.agent_config import COUNTS, MODELS, decode_list
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import CROWDS, PER_AGENT, Feature, find_feature, list_further
from moot.debate.protocol import Protocol
from moot.debate.protocol_settings import AgentEntry, Temperature, Tokens, TopP
from moot.prompts.packs import Pack
from moot.prompts.personas import persona_text

MOST_SEATS = 10_000
"""The most seats that models go round: no protocol has more of one role."""


class AgentList(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of single agents."""

    cast: Annotated[
        list[AgentEntry],
        Meta(description="agents with a model, style or sampling of their own: agents = [{…}, …]"),
    ] = []


class AgentTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one agent, or of every agent of one role; all others are the debate's.

    Features have further ones: see ``Feature.PerAgent``.

    Attributes:
        role: the role of the agents; without one, the settings are for the next seat.
        persona: the name of a persona, or any text, for the agent's system message.
    """

    role: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    style: str | UnsetType = UNSET
    persona: str | UnsetType = UNSET
    temperature: Temperature | UnsetType | None = UNSET
    top_p: TopP | UnsetType | None = UNSET
    max_tokens: Tokens | UnsetType | None = UNSET
    effort: Effort | UnsetType | None = UNSET


class Agents(Feature):
    """Agents have settings of their own."""

    names = ("cast",)
    Settings = AgentList

    def expand(
        self, given: Mapping[str, Any], protocol: Protocol, place: str, pack: Pack
    ) -> dict[str, Any]:
        """Return given settings with a list of agents under ``cast``, and its length as a number.

        A list of models becomes such a list; see ``spread_models``.

        Raises:
            UnknownName: an agent has a key, role or style that does not exist.
            InputError: the list cannot be read, is empty, or is given twice.
        """
        own = protocol.own.__struct_fields__
        made = spread_models(given, own, protocol.roles, where=place)
        for name in CROWDS:
            crowd = decode_list(made.get(name), f"{place}: setting {name}")
            if not isinstance(crowd, list | tuple):
                continue
            for number, one in enumerate(crowd, 1):
                if not isinstance(one, Mapping):
                    raise InputError(f"{place}: {name}[{number}]: expected a table, got {one!r}")
            if not crowd:
                raise InputError(f"{place}: {name} = []: list at least one agent, or say how many")
            if made.get("cast"):
                raise InputError(
                    f"{place}: {name} lists agents, and so does cast; keep one of the two"
                )
            del made[name]
            made["cast"] = list(crowd)
            alone = sum("role" not in one for one in crowd)
            if name in own and alone:
                made[name] = alone
        cast = decode_list(made.pop("cast", []), f"{place}: setting cast")
        if isinstance(cast, list) and all(isinstance(each, Mapping) for each in cast):
            cast = check_agents(cast, protocol.roles, pack.styles, where=place)
        return made | {"cast": cast}

    def check(self, own: AgentList, whole: DebateSettings, place: str, pack: Pack) -> AgentList:
        """Return the settings. Raise ``InputError`` if more agents have no role than are seated.

        If a setting is the number of the first role's agents, such agents are of that role alone.
        """
        roles, own_names = whole.protocol.roles, whole.protocol.own.__struct_fields__
        counts = whole.pick(name for name in COUNTS if name in own_names)
        counted = {COUNTS[name] or next(iter(roles), ""): name for name in counts}
        is_first = (roles[:1] or ("",))[0] in counted
        there = [role for role in roles or ("",) if role in counted] if is_first else roles
        named = {entry["role"] for entry in own.cast if "role" in entry}
        seats = {role: counts[counted[role]] if role in counted else 1 for role in there}
        seats = {role: count for role, count in seats.items() if role not in named}
        alone = sum("role" not in entry for entry in own.cast)
        if there and alone > sum(seats.values()):
            told = [f"{r} ({counted[r]} = {n})" if r in counted else r for r, n in seats.items()]
            raise InputError(
                f"{place}: agents: {alone} are listed without a role, for {sum(seats.values())} "
                f"seats that no role of the list takes: {', '.join(told).strip() or 'none'}"
            )
        return own


def spread_models(
    given: Mapping[str, Any], own: Sequence[str], roles: Sequence[str], *, where: str
) -> dict[str, Any]:
    """Return settings in which the seats have the models of the list ``models``, in turn.

    Where the protocol's number of agents is a setting, that many seats of its first role take part,
    or, where it is not given, a seat for each model; the same holds for jurors, and all other
    agents have the setting ``model``. Else there is a seat for each role. Models begin again with
    the first where there are more seats. Without a setting ``model`` it is the first of them.

    Raises:
        InputError: the list cannot be read, or agents are listed, too.
    """
    made = dict(given)
    models = decode_list(made.pop(MODELS, None), f"{where}: setting {MODELS}")
    if models is None:
        return made
    models = models.split(",") if isinstance(models, str) else models
    if not isinstance(models, list | tuple) or not all(isinstance(each, str) for each in models):
        raise InputError(f"{where}: {MODELS} = {models!r}: list the names of models")
    names = [each.strip() for each in models]
    if not names or not all(names):
        raise InputError(f"{where}: {MODELS} = {', '.join(names)!r}: a name is missing")
    crowd = next((name for name in CROWDS if name in own), "")
    number = made.get(crowd)
    if made.get("cast") or isinstance(decode_list(number, f"{where}: {crowd}"), list | tuple):
        raise InputError(f"{where}: {MODELS} is given, and so are agents; keep one of the two")
    seats: list[dict[str, str]] = [{"role": role} for role in roles]
    cast = [{**seat, "model": names[place % len(names)]} for place, seat in enumerate(seats)]
    if crowd and len(names) == 1:
        cast = cast[:1] or [{"model": names[0]}]
    elif crowd:
        cast = []
        for counted in (crowd, *(name for name in own if COUNTS.get(name))):
            made[counted] = made.get(counted, len(names))
            many = min(_count_seats(made[counted], names), MOST_SEATS)
            cast += [{"model": names[place % len(names)]} for place in range(many)]
    made["cast"] = cast
    made.setdefault("model", names[0])
    return made


def _count_seats(number: object, names: Sequence[str]) -> int:
    """Return how many seats there are; a number that is none is told later, with its range."""
    try:
        return int(str(number))
    except ValueError:
        return len(names)


def check_agents(
    cast: Sequence[Any],
    roles: Sequence[str],
    styles: Sequence[str],
    *,
    where: str,
) -> list[dict[str, Any]]:
    """Return the entries with every value of its type. An error names the entry.

    Args:
        cast: the entries.
        roles: of the protocol's agents; empty if it declares none.
        styles: the valid prompt styles.
        where: for the error's text.

    Raises:
        UnknownName: a key, role or style that does not exist.
        InputError: a value of the wrong type or out of range.
    """
    made = []
    for number, entry in enumerate(cast, 1):
        place = f"{where}: agents[{number}]"
        check_known("key", entry, list_agent_keys(), where=place)
        try:
            own = convert_entry(entry)
        except msgspec.ValidationError as error:
            key, fault = split_fault(error)
            raise InputError(f"{place}: {key}: {fault[:1].lower()}{fault[1:]}") from None
        if roles and own.get("role", roles[0]) not in roles:
            raise UnknownName("role", own["role"], roles, where=place)
        if "style" in own and own["style"] not in styles:
            raise UnknownName("style", own["style"], styles, where=place)
        if "persona" in own:
            own["persona"] = persona_text(own["persona"])  # a transcript holds the words themselves
            if not own["persona"]:
                raise InputError(f"{place}: persona: say in a few words who the agent is")
        made.append(own)
    return made


def list_agent_keys() -> list[str]:
    """Return all settings that an agent can have for itself."""
    further = [name for name in list_further() if _find_table(name) is not None]
    return [*AgentTable.__struct_fields__, *PER_AGENT, *further]


def convert_entry(entry: Mapping[str, Any], *, strict: bool = True) -> dict[str, Any]:
    """Return an agent's settings, each of its type.

    Args:
        entry: the settings by name, of ``list_agent_keys``.
        strict: False where values are texts from a command line; commas separate those of a list.

    Raises:
        msgspec.ValidationError: a value is not of its type.
    """
    tables: dict[type[msgspec.Struct], dict[str, Any]] = {AgentTable: {}}
    for key in filter(entry.__contains__, list_agent_keys()):
        own = key in AgentTable.__struct_fields__
        table, value = AgentTable if own else _find_table(key) or AgentTable, entry[key]
        if not strict and isinstance(value, str) and _is_list(table, key):
            value = value.split(",")
        tables.setdefault(table, {})[key] = value
    made: dict[str, Any] = {}
    for table, given in tables.items():
        made |= msgspec.to_builtins(msgspec.convert(given, table, strict=strict))
    return made


def _is_list(table: type[msgspec.Struct], name: str) -> bool:
    """Return whether a setting is a list, or may be one."""
    kind = get_type_hints(table)[name]
    return any(list in {each, get_origin(each)} for each in (kind, *get_args(kind)))


def _find_table(name: str) -> type[msgspec.Struct] | None:
    """Return the struct of what agents can have of a feature for themselves."""
    feature = find_feature(name)
    table = None if feature is None else feature.PerAgent
    return table if table is not None and name in table.__struct_fields__ else None


FEATURE = Agents()
