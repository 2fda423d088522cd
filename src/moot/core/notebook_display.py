"""How notebooks show results, and how results become data frames."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from moot.core.display_text import format_things, on_one_line
from moot.core.errors import InputError
from moot.core.registry import Registry
from moot.core.unread import Unread, tell_by

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from moot.core.events import Transcript

Row = Mapping[str, Any]
displays: Registry[Callable[[Any], str]] = Registry("display", "moot.reports", table="DISPLAYS")
"""Ways to show a result, by name: what draws them stands floors above."""


class NotebookDisplay:
    """Mixin of results: shown as HTML in a notebook, briefly elsewhere, and as a data frame."""

    __slots__ = ()

    @property
    def records(self) -> Sequence[Row]:
        """The rows of the data frame: plain values by column."""
        raise NotImplementedError

    def to_pandas(self) -> "pd.DataFrame":
        """Return ``records`` as a data frame. Raises ``InputError`` without pandas."""
        return make_pandas(self.records)

    def to_polars(self) -> "pl.DataFrame":
        """Return ``records`` as a data frame. Raises ``InputError`` without polars."""
        return make_polars(self.records)

    def _repr_html_(self) -> str:
        return render_html(self)

    @staticmethod
    def render_text(text: str, **about: Any) -> str:  # noqa: ANN401 -- as the renderer takes them
        """Return a text that agents wrote as HTML; see ``moot.reports.notebook.render_text``."""
        html: str = import_module("moot.reports.notebook").render_text(text, **about)
        return html


def render_html(value: object) -> str:
    """Return a result as HTML that needs nothing outside it."""
    return displays.get("html")(value)


def make_pandas(records: Sequence[Row]) -> "pd.DataFrame":
    """Return records as a data frame. Raises ``InputError`` without pandas."""
    return _import_frames("pandas").DataFrame(list(records))


def make_polars(records: Sequence[Row]) -> "pl.DataFrame":
    """Return records as a data frame. Raises ``InputError`` without polars."""
    return _import_frames("polars").DataFrame(list(records), infer_schema_length=None)


def _import_frames(name: str) -> Any:  # noqa: ANN401 -- a module
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"to_{name} needs {name}: install it with pip install {name}") from None


def flatten(struct: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a struct; those that are no plain value as JSON."""
    found = msgspec.structs.asdict(struct).items()
    plain = bool | int | float | str | None
    return {
        name: each if isinstance(each, plain) else msgspec.json.encode(each).decode()
        for name, each in found
    }


def describe_debate(transcript: "Transcript", unread: Sequence[Unread] = ()) -> str:
    """Return the verdict of a debate, what was not read, its protocol and its size in few words."""
    verdict, failed = transcript.verdict, transcript.failed
    if verdict is not None:
        answer = "no answer" if verdict.answer is None else repr(on_one_line(verdict.answer, 60))
        by = tell_by(verdict, unread)
        told = ", ".join([f"{answer} by {by}", *(each.why for each in unread)])
    else:
        told = "failed" if failed else "not ended"
    name = transcript.opened.protocol if transcript.events else "empty"
    calls = sum(not turn.is_given for turn in transcript.turns)
    parts = [told, name, format_things(calls, "call")]
    simulated = bool(transcript.events) and transcript.opened.simulated
    return ", ".join([*parts, *["simulated"] * simulated])


def represent_debate(transcript: "Transcript") -> str:
    """Return how a debate ended, in one line."""
    return displays.get("line")(transcript)
