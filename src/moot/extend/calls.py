"""The path of a call: budgets, retries, traffic; and files, templates and texts beside it."""

from moot.core.calls import Effort, identity
from moot.core.files import read_small
from moot.core.registry import Registry
from moot.core.toml import format_toml, parse_toml
from moot.models.human import list_people
from moot.models.model_names import parse_model_name
from moot.models.population import Population
from moot.models.simulations import simulation
from moot.reports.markdown import escape_markdown
from moot.reports.templating import environment
from moot.runtime.budget import BudgetGuard
from moot.runtime.collector import collect_seldom
from moot.runtime.leased import LeasedGuard
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from moot.runtime.room import Urgency

__all__ = [
    "BudgetGuard",
    "CallPath",
    "Effort",
    "LeasedGuard",
    "Population",
    "Registry",
    "Retry",
    "Urgency",
    "collect_seldom",
    "environment",
    "escape_markdown",
    "format_toml",
    "identity",
    "list_people",
    "parse_model_name",
    "parse_toml",
    "read_small",
    "simulation",
]
