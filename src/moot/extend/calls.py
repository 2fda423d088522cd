"""The path of a call: budgets, retries, traffic; and files, templates and texts beside it."""

from moot.core.calls import Effort, identity
from moot.core.children import ChildProcess
from moot.core.files import read_small
from moot.core.registry import Registry
from moot.core.terminal import Terminal
from moot.core.toml import format_toml, parse_toml
from moot.models.free_model import FreeModel
from moot.models.population import Population
from moot.models.simulations import simulation
from moot.models.weights import find_weights
from moot.reports.markdown import escape_markdown
from moot.reports.templating import STATIC, environment
from moot.runtime.collector import collect_seldom
from moot.runtime.leased import LeasedGuard
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry

__all__ = [
    "STATIC",
    "CallPath",
    "ChildProcess",
    "Effort",
    "FreeModel",
    "LeasedGuard",
    "Population",
    "Registry",
    "Retry",
    "Terminal",
    "collect_seldom",
    "environment",
    "escape_markdown",
    "find_weights",
    "format_toml",
    "identity",
    "parse_toml",
    "read_small",
    "simulation",
]
