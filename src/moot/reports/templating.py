"""What pages are rendered in, reports and the server's alike: escaping, and words for figures."""

import re
from functools import partial
from typing import TYPE_CHECKING

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_interval,
    format_percent,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.readings import kind_of, list_fields
from moot.debate.unread import describe_by, describe_node_by, list_unread
from moot.reports.event_words import (
    describe_between,
    describe_opening,
    describe_thought,
    describe_turn,
    explain_empty,
)
from moot.reports.node_groups import group_turns
from moot.reports.reading_graph import draw_reading_graph
from moot.reports.reply_html import render_line, render_reply
from moot.reports.setup import describe_settings
from moot.reports.shown_questions import shorten_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

STATIC = "moot.reports"
"""The package whose folders ``templates`` and ``static`` have the files of reports."""
_BREAK = re.compile(r"(?<=[/=,:;])(?=\w)")


def environment(*packages: str) -> "Environment":
    """Return an environment for the templates of packages, whose slots are data, always escaped.

    Templates of moot's reports can be included, and all have the functions that show a debate. Of
    templates of one name, that of the first package is taken.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, STATIC)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_neutralise,
    )
    made.filters.update(
        breaks=_break_names,
        count=format_count,
        dollars=format_dollars,
        duration=format_duration,
        line=on_one_line,
        many=format_things,
        percent=format_percent,
        prose=render_reply,
        formulas=render_line,
        without=_drop_name,
        cut=shorten_text,
    )
    made.globals.update(
        all_thought=explain_empty,
        describe_by=describe_by,
        describe_node_by=describe_node_by,
        draw_reading_graph=draw_reading_graph,
        groups=group_turns,
        kind_of=kind_of,
        list_fields=list_fields,
        list_unread=list_unread,
        looked_up=describe_between,
        put_forward=describe_opening,
        settings_of=partial(describe_settings, paths=False),
        span=format_interval,
        thought_of=describe_thought,
        took=describe_turn,
    )
    return made


def _break_names(text: str) -> "Markup":
    """Return a name as HTML that may go on in another line behind the signs in it."""
    from markupsafe import Markup

    return Markup("<wbr>").join(_BREAK.split(make_visible(text)))


def _drop_name(title: str, name: str) -> str:
    """Return a title without the name of what the whole page is of."""
    return title.removesuffix(f": {name}")


def _neutralise(value: object) -> object:
    """Return a template's value as text for display: None is empty. Escaping follows."""
    if value is None:
        return ""
    return make_visible(value) if type(value) is str else value  # Markup is a str of its own
