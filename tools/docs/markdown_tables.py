"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

from moot.debate.protocol_settings import SettingInfo
from moot.reports.portrait import format_setting


def simple_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; code in the cells has marks as in a docstring, or Markdown's."""
    escaped = ([cell.replace("|", "\\|").replace("``", "`") for cell in row] for row in rows)
    lines = ["| " + " | ".join(row) + " |" for row in (headings, *escaped)]
    return "\n".join([lines[0], "|---" * len(headings) + "|", *lines[1:]])


def join_code(names: Iterable[str]) -> str:
    """Return names, each marked as code, with commas between them."""
    return ", ".join(f"`{each}`" for each in names)


def settings_table(settings: Sequence[SettingInfo]) -> str:
    """Return settings as a table in Markdown."""
    rows = (
        (
            f"`{each.name}`",
            each.type,
            f"`{format_setting(each.default)}`" if each.default != "" else "",
            each.help,
        )
        for each in settings
    )
    return simple_table(("setting", "values", "default", "meaning"), rows)
