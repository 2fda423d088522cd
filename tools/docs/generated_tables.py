"""The tables that stand on pages between two marks, made from what is registered.

In the repository a sentence stands there, which names the command that prints the same.
"""

import re
from collections.abc import Callable

from markdown_tables import join_code, settings_table, simple_table
from moot.debate.decision import registry as decisions
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import describe_settings
from moot.debate.stop_rule import registry as stops
from moot.metrics.metric import registry as metrics
from moot.reports.portrait import USE, describe_protocol
from protocol_pages import list_shipped_protocols

MARKED = re.compile(r"<!-- table of (\w+) -->\n.*?<!-- end -->", re.DOTALL)

SEVERAL = re.compile(r"(several|different) models(?!.*\bor one model)|models of several")
"""How the line on a protocol's use says that it is made for models that differ."""


def fill_tables(page: str) -> str:
    """Return a page with its tables in the place of what stands between their marks."""
    return MARKED.sub(lambda found: TABLES[found[1]](), page)


def _tabulate_settings() -> str:
    like = protocols.get("society-of-minds")  # one that declares the setting agreement
    own = like.own.__struct_fields__
    every = (each for each in describe_settings(like.settings) if each.name not in own)
    return settings_table(tuple(every))


def _tabulate_decisions() -> str:
    rows = (
        (f"`{rule.name}`", rule.summary, rule.needs, join_code(rule.own_options), rule.source)
        for rule in decisions
        if rule.rule.__module__.startswith("moot.")
    )
    return simple_table(("rule", "the verdict", "needs", "options", "source"), rows)


def _tabulate_stops() -> str:
    rows = (
        (f"`{rule.name}`", rule.summary, join_code(rule.options), rule.source)
        for rule in stops
        if rule.check.__module__.startswith("moot.")
    )
    return simple_table(("stop", "when", "settings", "source"), rows)


def _tabulate_metrics() -> str:
    rows = (
        (
            f"`{each.name}`",
            each.help,
            f"{each.range[0]} {'and up' if each.range[1] is None else f'to {each.range[1]}'}",
            each.unit,
            each.better,
            each.total,
            each.source,
        )
        for each in metrics
        if each.function.__module__.startswith("moot.")
    )
    headings = ("metric", "what it is", "range", "unit", "better", "in a run", "source")
    return simple_table(headings, rows)


def _tabulate_choices() -> str:
    """Tabulate all protocols by group, the only list of them in the documentation."""
    rows = []
    for protocol in sorted(list_shipped_protocols(), key=lambda each: each.group.place):
        seen = describe_protocol(protocol)
        link = f"[`{seen.name}`](protocols/{seen.name}.md)"
        models = "several" if SEVERAL.search(seen.use) else "one is enough"
        when = seen.use.removeprefix(USE)
        gives = _list_results(protocol)
        group = protocol.group.name
        rows.append((link, when, gives, seen.at_defaults, models, group))
    headings = ("protocol", "use it when", "for", "calls", "models", "group")
    return simple_table(headings, rows)


def _list_results(protocol: Protocol) -> str:
    """Return what a debate by this protocol can give, in a few words."""
    if "stance" in {each.name for each in protocol.described_settings}:
        return "essays"
    if protocol.needs_answer:
        return "studies"
    if protocol.asks is not None:
        return "motions"
    votes = protocol.rules or protocol.runs
    return "short answers" if votes else "short answers, open texts"


TABLES: dict[str, Callable[[], str]] = {
    "choices": _tabulate_choices,
    "decisions": _tabulate_decisions,
    "metrics": _tabulate_metrics,
    "settings": _tabulate_settings,
    "stops": _tabulate_stops,
}
