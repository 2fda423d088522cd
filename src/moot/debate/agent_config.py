"""Models, temperatures and prompt styles of single agents: the setting ``agents = [{…}, …]``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from moot.core.calls import Effort, Sampling
from moot.core.errors import NOT_JSON, InputError, UnknownName, check_known, split_fault
from moot.core.ports import Model
from moot.core.recorded_settings import CastSettings, read_settings
from moot.debate.agents import AgentConfig
from moot.debate.feature import CROWDS, PER_AGENT, find_feature, list_further
from moot.debate.protocol_settings import AgentSettings, Temperature, Tokens, TopP
from moot.prompts.personas import persona_text

COUNTS: dict[str, str | None] = {
    **dict.fromkeys((*CROWDS, "reasonings")),
    "experts": "critic",
    "team": "member",
    "jurors": "juror",
}
"""The settings that are the number of agents of a role; None stands for the first role."""


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


class _Speakers(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that name models."""

    model: str = ""
    cast: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []


MOST_SEATS = 10_000
"""The most seats that models go round: no protocol has more of one role."""
MODELS = "models"
"""The setting that lists models: each seat has one of them, in turn."""


def read_agents(
    given: Mapping[str, Any], own: Sequence[str], roles: Sequence[str], *, where: str
) -> dict[str, Any]:
    """Return settings in which a list of agents stands under ``cast``, and its length as a number.

    A list of models becomes such a list; see ``spread_models``.

    Raises:
        InputError: the list cannot be read, is empty, or is given twice.
    """
    made = spread_models(given, own, roles, where=where)
    for name in CROWDS:
        crowd = decode_list(made.get(name), f"{where}: setting {name}")
        if not isinstance(crowd, list | tuple):
            continue
        for number, one in enumerate(crowd, 1):
            if not isinstance(one, Mapping):
                raise InputError(f"{where}: {name}[{number}]: expected a table, got {one!r}")
        if not crowd:
            raise InputError(f"{where}: {name} = []: list at least one agent, or say how many")
        if made.get("cast"):
            raise InputError(f"{where}: {name} lists agents, and so does cast; keep one of the two")
        del made[name]
        made["cast"] = list(crowd)
        alone = [one for one in crowd if "role" not in one]
        if name in own and alone:
            made[name] = len(alone)
    if "cast" in made:
        made["cast"] = decode_list(made["cast"], f"{where}: setting cast")
    return made


def takes_value(struct: type[msgspec.Struct], name: str, value: object) -> bool:
    """Return whether a setting takes this very list, and not one of the values in it."""
    kind = get_type_hints(struct, include_extras=True).get(name)
    listed = isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
    if name in CROWDS:
        return listed
    if name == MODELS:
        return True
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


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


def decode_list(value: object, where: str) -> Any:  # noqa: ANN401 -- a setting is anything
    """Return a JSON list as a list, and any other value as it is.

    Raises:
        InputError: a text that begins like a list is none.
    """
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return msgspec.json.decode(value)
    except NOT_JSON as error:
        raise InputError(
            f'{where}: {error}; write a JSON list, e.g. [{{"temperature": 0.2}}, {{}}]'
        ) from None


def check_agents(
    cast: Sequence[Any],
    roles: Sequence[str],
    styles: Sequence[str],
    *,
    counts: Mapping[str, int],
    where: str,
) -> list[dict[str, Any]]:
    """Return the entries with every value of its type. An error names the entry.

    Args:
        cast: the entries.
        roles: of the protocol's agents; empty if it declares none.
        styles: the valid prompt styles.
        counts: the settings, of ``COUNTS``, that the protocol has.
        where: for the error's text.

    Raises:
        UnknownName: a key, role or style that does not exist.
        InputError: a value of the wrong type or out of range, or more entries than seats.
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
    _check_seats(made, roles, counts, where)
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


def _check_seats(
    cast: Sequence[Mapping[str, Any]], roles: Sequence[str], counts: Mapping[str, int], where: str
) -> None:
    """Raise ``InputError`` if there are more entries without a role than seats for them.

    If a setting is the number of the first role's agents, such entries are for these alone.
    """
    counted = {COUNTS[name] or next(iter(roles), ""): name for name in counts}
    first = roles[:1] or [""]
    there = [role for role in roles or first if role in counted] if first[0] in counted else roles
    if not there:
        return
    named = {entry["role"] for entry in cast if "role" in entry}
    seats = {role: counts[counted[role]] if role in counted else 1 for role in there}
    seats = {role: count for role, count in seats.items() if role not in named}
    alone = sum("role" not in entry for entry in cast)
    if alone > sum(seats.values()):
        told = [f"{r} ({counted[r]} = {n})" if r in counted else r for r, n in seats.items()]
        raise InputError(
            f"{where}: agents: {alone} are listed without a role, for {sum(seats.values())} seats "
            f"that no role of the list takes: {', '.join(told).strip() or 'none'}"
        )


def models_in(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of all models in a debate with these settings, each once, if known."""
    own = read_settings(settings, _Speakers)
    named = [own.model, *(entry["model"] for entry in own.cast if "model" in entry)]
    for node in own.nodes:
        named += models_in({"model": own.model, **node})
    yield from filter(None, dict.fromkeys(named))


def styles_in(settings: Mapping[str, Any]) -> set[str]:
    """Return the prompt styles of a debate's own agents, without those of its nodes."""
    own = read_settings(settings, CastSettings)
    return {own.style, *(entry["style"] for entry in own.cast if "style" in entry)}


def personas_of(settings: Mapping[str, Any], roles: Sequence[str]) -> dict[str, str]:
    """Return the personas by role, of one agent of each role, seated in this order."""
    by_role, alone = _deal(settings)
    owns = {role: by_role[role] if role in by_role else next(alone, {}) for role in roles}
    return {role: own["persona"] for role, own in owns.items() if "persona" in own}


def configure_agents(
    settings: Mapping[str, Any], model: Callable[[str], Model]
) -> Callable[[int, str], AgentConfig]:
    """Return a function from a seat, counted from 0, and a role to the agent's settings.

    An entry of the cast with a role is for all agents of that role. Entries without a role are for
    the other seats, in order. A later entry for a role is laid over an earlier one.

    Args:
        settings: every setting in force.
        model: returns the model by its name.
    """
    by_role, alone = _deal(settings)
    by_seat: dict[int, dict[str, Any]] = {}
    made: dict[tuple[int, str] | None, AgentConfig] = {}

    def voice(seat: int, role: str) -> AgentConfig:
        own = by_role.get(role)
        if own is None:
            if seat not in by_seat:  # seats are taken in order
                by_seat[seat] = next(alone, {})
            own = by_seat[seat]
        place = (seat, role) if own else None  # all others speak alike
        if place not in made:
            made[place] = _make_config(settings, own, model)
        return made[place]

    return voice


def _make_config(
    settings: Mapping[str, Any], own: Mapping[str, Any], model: Callable[[str], Model]
) -> AgentConfig:
    """Return an agent's settings; ``own`` are those that were set for it alone."""
    given = {**settings, **own}
    had = read_settings(given, AgentSettings)
    return AgentConfig(
        model=model(had.model),
        style=had.style,
        sampling=Sampling(
            temperature=had.temperature,
            top_p=had.top_p,
            max_tokens=had.max_tokens,
            seed=had.seed,
            effort=had.effort,
        ),
        window=had.window,
        persona=own.get("persona", ""),
        has_own_temperature="temperature" in own,
        own=own,
    )


def _deal(
    settings: Mapping[str, Any],
) -> tuple[dict[str, dict[str, Any]], Iterator[dict[str, Any]]]:
    """Return the entries of the cast by role, and those without a role in order."""
    cast = read_settings(settings, CastSettings).cast
    by_role: dict[str, dict[str, Any]] = {}
    for entry in cast:
        if "role" in entry:
            by_role[entry["role"]] = by_role.get(entry["role"], {}) | entry
    return by_role, iter([entry for entry in cast if "role" not in entry])


def cool_config(config: AgentConfig, cooler: float) -> AgentConfig:
    """Return the settings of an agent at a lower temperature, unless it has one of its own."""
    temperature = config.sampling.temperature
    if not cooler or temperature is None or config.has_own_temperature:
        return config
    lower = max(0.0, round(temperature - cooler, 6))
    sampling = msgspec.structs.replace(config.sampling, temperature=lower)
    return msgspec.structs.replace(config, sampling=sampling)
