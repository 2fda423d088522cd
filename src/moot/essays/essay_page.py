"""An essay with how it came about, as one HTML file that needs nothing but itself.

Everything that comes from models and documents is text: each value is neutralised by ``plain`` and
escaped as it is written. The page has no script, and its content security policy allows none, and
no style but its own, by hash.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from moot.essays import essay_parts as essay
from moot.essays.team import claim_beside, label
from moot.essays.written import Written
from moot.reports.setup import in_force
from moot.reports.templating import environment


def essay_page(written: Written) -> str:
    """The essay first, then how it came about: personas, plan, evidence, discussion."""
    from markupsafe import Markup

    folder = files("moot.essays").joinpath("templates")
    style = folder.joinpath("essay.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    made = environment("moot.essays")
    made.filters.update(cited=essay.cited, speaker=essay.speaker, standing=essay.standing)
    made.globals.update(label=label, claimed=claim_beside)
    return made.get_template("essay.html").render(
        written=written,
        heading=essay.heading(written),
        ended=essay.ended(written),
        pieces=essay.pieces(written),
        warnings=essay.warnings(written),
        aside=essay.aside(written),
        discussed=essay.discussed(written),
        begun=essay.begun(written),
        price=essay.price(written),
        settings=in_force(written.settings),
        simulated=essay.SIMULATED,
        missing=essay.MISSING,
        style=Markup(style),  # noqa: S704  our own file
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'",
    )
