"""Figures in a page that needs nothing outside it.

Definitions stand in the page as JSON that no browser runs, and one script, the same for every page,
draws them. It makes no code of texts: expressions are interpreted, so that a page whose content
security policy forbids ``eval`` can hold figures.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape

from moot.reports.charting.chart import Chart, check_installed
from moot.reports.charting.look import FAINT, INK

_DRAW = """
for (const data of document.querySelectorAll('script.moot-chart')) {
  const figure = data.parentElement;
  const options = {
    actions: false, ast: true, renderer: 'svg', defaultStyle: false,
    tooltip: {disableDefaultStyle: true}, loader: {target: 'none'},
  };
  vegaEmbed(figure.querySelector('div'), JSON.parse(data.textContent), options)
    .catch(error => { figure.querySelector('div').textContent = String(error); });
}
"""

STYLE = """\
.moot-figure { margin: 1.5em 0; color: #222; background: #fff; }
.moot-figure > div { overflow-x: auto; }
.moot-figure figcaption { max-width: 46em; font-size: 90%; }
#vg-tooltip-element { position: fixed; visibility: hidden; z-index: 1000; padding: .4em .6em;
  color: #222; background: #fff; border: 1px solid #999; font: 12px sans-serif; }
#vg-tooltip-element.visible { visibility: visible; }
#vg-tooltip-element td.key { color: #555; text-align: right; padding-right: .5em; }
#vg-tooltip-element td.value { max-width: 30em; }
"""
"""The style of figures and of their tooltips: light, also in a dark page."""

PAPER = "#15181d"
"""What a dark page is coloured."""

IN_THE_DARK = {
    "white": PAPER,  # what is behind all, halos of texts, what is hollow
    **dict.fromkeys(("#000", "#000000", "black", INK), "#e5e7ea"),
    FAINT: "#9aa2ae",
    "#999999": "#7d8590",
    "#bbbbbb": "#8b929c",
    "#cccccc": "#555d69",
    "#ddd": "#333942",
    "#e4e4e4": "#333942",
    "#cfe3f2": "#1d3d57",
}
"""What the colours of figures become in a dark page; those of Okabe and Ito can be seen in both."""


def _dark() -> str:
    turned = "\n".join(
        f'  .moot-figure svg [{part}="{light}" i] {{ {part}: {dark}; }}'
        for light, dark in IN_THE_DARK.items()
        for part in ("fill", "stroke")
    )
    return f"""\
@media (prefers-color-scheme: dark) {{
  .moot-figure {{ color: #e5e7ea; background: transparent; }}
  .moot-figure svg.marks {{ background: transparent !important; }}
{turned}
}}
"""


DARK = STYLE + _dark()
"""The same for a page that is dark where its reader's screen is: figures stand on its paper."""


@cache
def script() -> str:
    """Return the JavaScript that draws the figures of a page: always the same, so it has one hash.

    Raises:
        InputError: altair or vl-convert is not installed.
    """
    check_installed()
    from altair import SCHEMA_VERSION
    from vl_convert import javascript_bundle

    bundle = javascript_bundle(_DRAW, vl_version=".".join(SCHEMA_VERSION.split(".")[:2]))
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


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


def figure(chart: Chart) -> str:
    """One figure as HTML: what ``script`` draws, for a page that has ``STYLE`` and it already."""
    spec = json.dumps(chart.data, ensure_ascii=True, separators=(",", ":"))
    safe = spec.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return (
        f'<figure class="moot-figure" id="figure-{escape(chart.name)}">\n<div></div>\n'
        f"<figcaption>{escape(chart.caption)}</figcaption>\n"
        f'<script type="application/json" class="moot-chart">{safe}</script>\n</figure>\n'
    )


def page(chart: Chart) -> Iterator[str]:
    """Yield a page with one figure."""
    yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width">\n'
    yield f"<title>{escape(chart.title)}</title>\n"
    yield '<meta name="color-scheme" content="light dark">\n'
    yield "<style>body { margin: 1.5em; font-family: sans-serif; }\n"
    yield f"@media (prefers-color-scheme: dark) {{ body {{ background: {PAPER}; }} }}\n"
    yield f"{DARK}</style>\n"
    yield figure(chart)
    yield f"<script>{script()}</script>\n"
    yield "</html>\n"
