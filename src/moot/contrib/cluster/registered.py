"""What a process knows by name: a worker must know what the driver knows."""

from importlib.metadata import version

from moot.debate.decision import registry as decisions
from moot.debate.protocol import registry as protocols
from moot.metrics.metric import registry as metrics
from moot.models.model_names import model_registry
from moot.models.simulations import registry as simulations
from moot.parsing.parser import registry as parsers


def list_registered() -> dict[str, list[str]]:
    """Return the names of all that a debate may use, by what they are."""
    kinds = (protocols, decisions, metrics, parsers, model_registry, simulations)
    for registry in kinds:
        registry.all()  # what cannot be loaded here has no name
    return {registry.what: registry.names() for registry in kinds}


def moot_version() -> str:
    """Return the version of moot."""
    return version("moot")
