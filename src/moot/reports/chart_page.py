"""Figures in a page that needs nothing outside it.

Definitions stand in the page as JSON that no browser runs, and one script, the same for every page,
draws them. It makes no code of texts: expressions are interpreted, so that a page whose content
security policy forbids ``eval`` can hold figures.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from msgspec.structs import replace

from moot.core.chart import Chart
from moot.core.display_text import make_visible
from moot.reports.chart_style import IN_THE_DARK, INK, PAPER, SMALL, ChartStyle
from moot.reports.drawings import DEFINITION, draw_chart, keep_drawing, vega_lite_version

if TYPE_CHECKING:
    from markupsafe import Markup

_DRAW = """
const chosen = new Map();
function draw() {
  for (const figure of document.querySelectorAll('.moot-figure')) {
    const drawn = figure.querySelectorAll('script.moot-chart');
    const number = (figure.clientWidth || innerWidth) < 700 ? drawn.length - 1 : 0;
    if (chosen.get(figure) === number) continue;
    chosen.set(figure, number);
    const data = drawn[number];
    const place = figure.querySelector('div');
    const options = {
      actions: false, ast: true, renderer: 'svg', defaultStyle: false,
      tooltip: {disableDefaultStyle: true}, loader: {target: 'none'},
    };
    vegaEmbed(place, JSON.parse(data.textContent), options)
      .then(() => { place.querySelector('svg')?.setAttribute('aria-hidden', 'true'); })
      .catch(error => { place.textContent = String(error); });
  }
}
addEventListener('resize', draw);
draw();
"""

STYLE = """\
.moot-figure { margin: 1.5em 0; color: #222; background: #fff; }
.moot-figure > div { max-width: 100%; overflow-x: auto; }
.moot-figure figcaption { max-width: 46em; font-size: 90%; }
#vg-tooltip-element { position: fixed; visibility: hidden; z-index: 1000; padding: .4em .6em;
  color: #222; background: #fff; border: 1px solid #999; font: 12px sans-serif; }
#vg-tooltip-element.visible { visibility: visible; }
#vg-tooltip-element td.key { color: #555; text-align: right; padding-right: .5em; }
#vg-tooltip-element td.value { max-width: 30em; }
"""
"""The style of figures and of their tooltips: light, also in a dark page."""


def _in_the_dark() -> str:
    turned = "\n".join(
        f'  .moot-figure svg [{part}="{light}" i] {{ {part}: {dark}; }}'
        for light, dark in IN_THE_DARK.items()
        for part in ("fill", "stroke")
    )
    return f"""\
  .moot-figure {{ color: {IN_THE_DARK[INK]}; background: transparent; }}
  .moot-figure svg.marks {{ background: transparent !important; }}
{turned}
"""


DARK = f"{STYLE}@media (prefers-color-scheme: dark) {{\n{_in_the_dark()}}}\n"
"""The same for a page that is dark where its reader's screen is: figures stand on its paper."""


@cache
def script() -> str:
    """Return the JavaScript that draws the figures of a page: always the same, so it has one hash.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    return keep_drawing(b"script" + _DRAW.encode(), _bundle).decode()


def _bundle() -> bytes:
    from altair import SCHEMA_URL
    from vl_convert import javascript_bundle

    bundle = javascript_bundle(_DRAW, vl_version=vega_lite_version({"$schema": SCHEMA_URL}))
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--").encode()


def fragment(charts: Sequence[Chart]) -> Iterator[str]:
    """HTML that draws the figures within any page, in pieces; nothing for no figures.

    It has its styles and its script, once; it fetches nothing.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    if not charts:
        return
    yield f"<style>\n{STYLE}</style>\n"
    for chart in charts:
        yield figure(chart)
    yield f"<script>{script()}</script>\n"


def figure(chart: Chart, style: ChartStyle = ChartStyle()) -> str:  # noqa: B008
    """One figure as HTML: what ``script`` draws, for a page that has ``STYLE`` and it already.

    It has a second definition for a phone or a narrow column, unless the style is as narrow.
    """
    styles = [style]
    if style.whole_width > SMALL and not style.for_print:
        styles.append(replace(style, width=SMALL))
    kind = 'type="application/json" class="moot-chart"'
    specs = "".join(f"<script {kind}>{_write_safely(chart, each)}</script>\n" for each in styles)
    title = escape(make_visible(chart.title))
    return (
        f'<figure class="moot-figure" id="figure-{escape(chart.name)}">\n'
        f'<div role="img" aria-label="{title}"></div>\n'
        f"<figcaption>{escape(make_visible(chart.caption))}</figcaption>\n{specs}</figure>\n"
    )


def _write_safely(chart: Chart, style: ChartStyle) -> str:
    """Return the definition of a chart as JSON that ends no element of a page."""
    spec = json.dumps(json.loads(draw_chart(chart, DEFINITION, style)), separators=(",", ":"))
    return spec.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def draw_figures(
    charts: Sequence[Chart],
    style: ChartStyle = ChartStyle(),  # noqa: B008
) -> "list[Markup]":
    """Return charts as figures for a template, each a piece of HTML that needs no escaping.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    from markupsafe import Markup

    return [Markup(figure(chart, style)) for chart in charts]  # noqa: S704  escaped where made


def make_page(chart: Chart, style: ChartStyle = ChartStyle()) -> Iterator[str]:  # noqa: B008
    """Yield a page with one figure: in its reader's theme, or dark if the style is."""
    dark = style.theme == "dark"
    yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width">\n'
    yield f"<title>{escape(make_visible(chart.title))}</title>\n"
    yield f'<meta name="color-scheme" content="{"dark" if dark else "light dark"}">\n'
    yield "<style>body { margin: 1.5em; font-family: sans-serif; }\n"
    paper = f"body {{ background: {PAPER}; }}"
    yield f"{paper}\n" if dark else f"@media (prefers-color-scheme: dark) {{ {paper} }}\n"
    yield f"{STYLE + _in_the_dark() if dark else DARK}</style>\n"
    yield figure(chart, style)
    yield f"<script>{script()}</script>\n"
    yield "</html>\n"
