"""An essay with how it came about, as one HTML file that needs no other file.

Everything that comes from models and documents is text: each value is neutralised by
``make_visible`` and escaped as it is written. The page has no script, and its content security
policy allows none, and no style but its own, by hash.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from moot.essays import essay_parts as parts
from moot.essays.team import claim_beside, label
from moot.essays.written import Written
from moot.reports.setup import describe_settings
from moot.reports.templating import environment


def essay_page(written: Written) -> str:
    """Return the page: the essay, then personas, plan, evidence and discussion."""
    style = files("moot.essays").joinpath("templates", "essay.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    made = environment("moot.essays")
    made.filters.update(cited=parts.cite, speaker=parts.name_speaker, standing=parts.describe_stand)
    made.globals.update(label=label, claimed=claim_beside)
    return made.get_template("essay.html").render(
        written=written,
        heading=parts.essay_heading(written),
        ended=parts.why_missing(written),
        pieces=parts.split_at_quotes(written),
        warnings=parts.list_warnings(written),
        aside=parts.outside_team(written),
        discussed=parts.dialogue_heading(written),
        begun=parts.round_starts(written),
        price=parts.describe_price(written),
        settings=describe_settings(written.settings),
        simulated=parts.SIMULATED,
        missing=parts.MISSING,
        style=Markup(style),  # noqa: S704  our own file
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'",
    )
