"""Frameworks by name: how libraries of others run a conversation with moot as their model.

Each needs a library that is slow to import and often missing, so its module is imported when a
debate begins that runs on it.
"""

from collections.abc import Callable
from typing import Any

from moot.extend.calls import Registry

registry: Registry[Callable[..., Any]] = Registry(
    "framework", "moot.contrib.frameworks", group="moot.contrib.frameworks"
)
"""Async functions that run a conversation, each under the name of its module.

The parameters of each are the debate, its agents by their part in the conversation, and settings;
it returns a view, or several.
"""
