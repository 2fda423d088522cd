"""How charts look: theme, size and fonts as one value, and the colours of both themes."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final, Literal

import msgspec

from moot.core.chart import Chart
from moot.core.errors import InputError

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's; without their yellow, which is hard to see on white."""
SHAPES: Final = (
    *("circle", "square", "triangle-up", "diamond", "triangle-down", "cross"),
    "triangle-right",
)
INK, FAINT, PALE, GRID, AREA = "#222222", "#757575", "#999999", "#e4e4e4", "#cfe3f2"
INSIDE = "#111111"
"""Text within what is filled with a light colour: in dark pages as well."""
PAPER = "#15181d"
"""What a dark page is coloured."""

IN_THE_DARK: Final[Mapping[str, str]] = {
    "white": PAPER,  # what is behind all, halos of texts, what is hollow
    **dict.fromkeys(("#000000", "black", INK), "#e5e7ea"),
    FAINT: "#9aa2ae",
    PALE: "#7d8590",
    "#bbbbbb": "#8b929c",
    "#cccccc": "#555d69",
    "#ddd": "#333942",
    GRID: "#333942",
    AREA: "#1d3d57",
}
"""What colours become in a dark theme; those of Okabe and Ito can be seen in both."""

Theme = Literal["light", "dark"]
WIDTHS: Final = {"column": 241, "page": 496}
"""The width of a paper's column (85 mm) and of its page (175 mm), in points."""


SMALL: Final = 340
"""The width that a phone has room for, in pixels."""


class ChartStyle(msgspec.Struct, frozen=True, kw_only=True):
    """How charts are drawn.

    Attributes:
        theme: dark for a dark page.
        width: of the whole picture: ``column`` (85 mm) or ``page`` (175 mm) of a paper, with texts
            of 7 to 8 points; or a number of pixels.
        height: of the area of each panel, in the same unit; None for one that suits it.
        whiskers: whether intervals are drawn.
    """

    theme: Theme = "light"
    width: Literal["column", "page"] | int = 720
    height: int | None = None
    whiskers: bool = True

    def draw(self, chart: Chart, form: str = "svg") -> bytes:
        """Return a chart as a picture in this style; see ``draw_chart``."""
        from moot.reports.drawings import draw_chart  # what draws knows the style

        return draw_chart(chart, form, self)

    @staticmethod
    def check_installed() -> None:
        """Check that charts can be drawn at all. Raises ``InputError``: what to install."""
        missing = [name for name in ("altair", "vl_convert") if find_spec(name) is None]
        if missing:
            raise InputError(
                f"figures need {' and '.join(missing)}: install with pip install moot[report]"
            )

    @property
    def for_print(self) -> bool:
        """Whether lengths are points, not pixels."""
        return isinstance(self.width, str)

    @property
    def whole_width(self) -> int:
        """The width in its unit."""
        return WIDTHS[self.width] if isinstance(self.width, str) else self.width

    @property
    def font(self) -> float:
        """The size of titles of axes; other texts are a little smaller, but for the title."""
        return 8.0 if self.for_print else 12.0


def parse_style(
    *, theme: str = "light", width: str = "720", height: int | None = None, whiskers: bool = True
) -> ChartStyle:
    """Return the style that texts of a command line describe.

    Raises:
        InputError: a width or height that is none.
    """
    is_number = width.isascii() and width.isdigit() and len(width) < 5
    known = width if width in WIDTHS else int(width) if is_number else 0
    if known != width and not (isinstance(known, int) and 160 <= known <= 4000):
        raise InputError(f"--width {width[:40]}: write column, page, or 160 to 4000 pixels")
    if height is not None and not 40 <= height <= 4000:
        raise InputError(f"--height {height}: write 40 to 4000")
    return msgspec.convert(
        {"theme": theme, "width": known, "height": height, "whiskers": whiskers}, ChartStyle
    )


_TEXTS = ("domain", "equal", "text", "subtitle", "title")
"""What of a definition may be a name that reads like a colour."""


def darken(value: Any) -> Any:  # noqa: ANN401 -- any JSON
    """Return a Vega-Lite definition whose colours are those of the dark theme; data stay."""
    if isinstance(value, dict):
        return {
            key: each if key in _TEXTS and not isinstance(each, dict) else darken(each)
            for key, each in value.items()
            if key != "datasets"
        } | ({"datasets": value["datasets"]} if "datasets" in value else {})
    if isinstance(value, list):
        return [darken(each) for each in value]
    return IN_THE_DARK.get(value, value) if isinstance(value, str) else value


def look_of(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return a colour and a shape for each name, in order; no two the same up to 49 of them."""
    size = len(COLOURS)
    return {
        name: (COLOURS[k % size], SHAPES[(k + k // size) % len(SHAPES)])
        for k, name in enumerate(names)
    }
