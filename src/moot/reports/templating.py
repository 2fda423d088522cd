"""What pages are rendered in, reports and the server's alike: escaping, and words for figures."""

import re
from typing import TYPE_CHECKING

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_percent,
    format_things,
    make_visible,
    on_one_line,
)
from moot.reports.reply_html import render_line, render_reply
from moot.reports.shown_questions import shorten_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_BREAK = re.compile(r"(?<=[/=,:;])(?=\w)")


def environment(*packages: str) -> "Environment":
    """Return an environment for the templates of packages, whose slots are data, always escaped.

    Of templates of one name, that of the first package is taken.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
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
