"""Simulations: how a simulated population replies to prompts of another package's protocols."""

from collections.abc import Callable
from typing import TypeAlias

from moot.core.calls import Call, Scene
from moot.core.registry import Registry
from moot.models.population import Population

Simulation: TypeAlias = Callable[[Call, Scene, Population], str | None]
"""Returns the reply to a call; None where the prompt is not one of the package's."""

registry: Registry[Simulation] = Registry("simulation", "", group="moot.simulations", by_name=False)
"""Simulations by name; a package adds its own by an entry point in ``moot.simulations``."""


def simulation(function: Simulation) -> Simulation:
    """Register a function that replies as a simulated agent, under its name with hyphens.

    It is asked before the population's own way to reply. A reply must depend on the call, its scene
    and the population alone.
    """
    registry.add(function.__name__.replace("_", "-"), function)
    return function


def simulate(call: Call, scene: Scene, population: Population) -> str | None:
    """Return the reply of the first simulation that has one, in the order of their names."""
    replies = (reply(call, scene, population) for reply in registry)
    return next((reply for reply in replies if reply is not None), None)
