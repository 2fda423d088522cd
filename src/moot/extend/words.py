"""Words for people: counts, amounts, intervals and lists as moot writes them."""

from moot.core.display_text import (
    escape_json,
    format_count,
    format_dollars,
    format_duration,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    make_visible,
    natural_sort_key,
    on_one_line,
)
from moot.core.encoding import replace_surrogates
from moot.core.fence import break_control_words, fence_text
from moot.core.redaction import redact
from moot.models.model_names import show_name
from moot.prompts.personas import name_persona

__all__ = [
    "break_control_words",
    "escape_json",
    "fence_text",
    "format_count",
    "format_dollars",
    "format_duration",
    "format_interval",
    "format_p_equals",
    "format_percent",
    "format_things",
    "make_visible",
    "name_persona",
    "natural_sort_key",
    "on_one_line",
    "redact",
    "replace_surrogates",
    "show_name",
]
