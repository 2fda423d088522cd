"""Models, temperatures and prompt styles of the agents of a debate, as they are seated."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from moot.core.calls import Sampling
from moot.core.errors import NOT_JSON, InputError
from moot.core.ports import Model
from moot.core.recorded_settings import CastSettings, read_settings
from moot.debate.agents import AgentConfig
from moot.debate.feature import CROWDS
from moot.debate.protocol_settings import AgentSettings

COUNTS: dict[str, str | None] = {
    **dict.fromkeys((*CROWDS, "reasonings")),
    "experts": "critic",
    "team": "member",
    "jurors": "juror",
}
"""The settings that are the number of agents of a role; None stands for the first role."""


class _Speakers(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that name models."""

    model: str | None = None
    cast: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []


MODELS = "models"
"""The setting that lists models: each seat has one of them, in turn."""


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


def models_in(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of all models in a debate with these settings, each once, if known."""
    own = read_settings(settings, _Speakers)
    named = [own.model, *(entry["model"] for entry in own.cast if "model" in entry)]
    for node in own.nodes:
        named += models_in({"model": own.model, **node})
    yield from (name for name in dict.fromkeys(named) if name is not None)


def personas_of(settings: Mapping[str, Any], roles: Sequence[str]) -> dict[str, str]:
    """Return the personas by role, of one agent of each role, seated in this order."""
    by_role, alone = _deal(read_settings(settings, CastSettings).cast)
    owns = {role: by_role[role] if role in by_role else next(alone, {}) for role in roles}
    return {role: own["persona"] for role, own in owns.items() if "persona" in own}


def configure_agents(
    usual: AgentSettings, cast: Sequence[dict[str, Any]], model: Callable[[str], Model]
) -> Callable[[int, str], AgentConfig]:
    """Return a function from a seat, counted from 0, and a role to the agent's settings.

    An entry of the cast with a role is for all agents of that role. Entries without a role are for
    the other seats, in order. A later entry for a role is laid over an earlier one.

    Args:
        usual: the settings of all agents.
        cast: those of single agents.
        model: returns the model by its name.
    """
    by_role, alone = _deal(cast)
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
            had = (
                read_settings(msgspec.structs.asdict(usual) | own, AgentSettings) if own else usual
            )
            made[place] = AgentConfig(
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
        return made[place]

    return voice


def _deal(
    cast: Sequence[dict[str, Any]],
) -> tuple[dict[str, dict[str, Any]], Iterator[dict[str, Any]]]:
    """Return the entries of the cast by role, and those without a role in order."""
    by_role: dict[str, dict[str, Any]] = {}
    for entry in cast:
        if "role" in entry:
            by_role[entry["role"]] = by_role.get(entry["role"], {}) | entry
    return by_role, iter([entry for entry in cast if "role" not in entry])


def cool_config(config: AgentConfig, cooler: float) -> AgentConfig:
    """Return the settings of an agent at a lower temperature, unless it has one of its own."""
    temperature = config.sampling.temperature
    if temperature is None or config.has_own_temperature:
        return config
    lower = max(0.0, round(temperature - cooler, 6))
    sampling = msgspec.structs.replace(config.sampling, temperature=lower)
    return msgspec.structs.replace(config, sampling=sampling)
