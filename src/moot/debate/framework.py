"""Frameworks by name: how libraries of others run a conversation with moot as their model.

Each needs a library that is slow to import and often missing, so its module is imported when a
debate begins that runs on it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from moot.core.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])

registry: Registry[Callable[..., Any]] = Registry("framework", "moot.frameworks")


def framework(name: str) -> Callable[[F], F]:
    """Register an async function that runs a conversation, under the name of its module.

    Its parameters are the debate, its agents by their part in the conversation, and settings; it
    returns a view, or several.
    """

    def register(converse: F) -> F:
        registry.add(name, converse)
        return converse

    return register
