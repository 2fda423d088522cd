"""The words by which a reply names a form of a ballot, or an answer."""

import re
from collections.abc import Mapping

FORM_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("vote", "voted", "votes", "stimme", "wahl", "voto", "voix", "choix"), "vote"),
    **dict.fromkeys(("choice", "elección", "scelta", "голос", "投票", "選択", "투표"), "vote"),
    **dict.fromkeys(
        ("ranking", "rank", "ranks", "rangliste", "rangfolge", "classement"), "ranking"
    ),
    **dict.fromkeys(("clasificación", "classificação", "classifica", "排名"), "ranking"),
    **dict.fromkeys(("approved", "approve", "approvals", "approval", "accepted"), "approved"),
    **dict.fromkeys(("acceptable", "acceptable answers"), "approved"),
    **dict.fromkeys(("points", "point", "punkte", "puntos", "pontos", "punti"), "points"),
    **dict.fromkeys(("scores", "score", "ratings", "rating", "marks"), "scores"),
}
"""The form of a ballot that a word in a heading or in a key means."""

NOUN = (
    r"(?:answer|option|response|candidate|solution|label|choice"
    r"|antwort|respuesta|réponse|risposta|resposta|opción|opção|opzione)"
)
"""The pattern of a noun that may stand before a label."""
FORM_NAMES = "|".join(sorted(map(re.escape, FORM_WORDS), key=len, reverse=True))
"""The pattern of all words of ``FORM_WORDS``."""
HEADING = re.compile(
    r"^[-#>*•\"'| ]{0,6}(?:(?:my|final|the|i|overall|new|corrected|meine?|mi|ma|mon|mio) ){0,3}"
    rf"(?:(?P<form>{FORM_NAMES})\b(?:[ _](?:answers?|allocation|list|labels?|order))?"
    r"|(?:from )?(?P<worst>worst to best|worst first)|(?:from )?(?:best to worst|best first))"
    r"(?: ?\([^()\n]{0,40}\))?(?:,? best first)?(?: (?:is|are|for|goes to)){0,2}[\"'*]{0,3} ?"
    r"(?:[:=|]{1,3} ?(?P<rest>\S.{0,300})?|->? (?P<more>\S.{0,300}))?$",
    re.IGNORECASE,
)
"""A line that names a form, with what it states beside it, if anything."""
TAG = re.compile(rf"<(/?)({FORM_NAMES})>", re.IGNORECASE)
"""The beginning or end of a form between tags."""
PAIRS = re.compile(rf"[;.]\s+(?=(?:{FORM_NAMES})\s?[:=])", re.IGNORECASE)
"""What parts a form from the next one that stands in the same line."""
