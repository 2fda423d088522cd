"""Parsing: from a reply's text to the answer that it commits to, and to what else it says.

``extract`` reads an answer. Each kind of answer has a room: ``choice``, ``boolean``, ``number``,
``square``, ``free_text``. A parser may read more than an answer, such as a judge's ruling:
``PARSERS`` says where each is. ``same`` and ``correct`` compare answers, ``similarity`` whole
texts, ``majority`` counts votes. Every answer is in the canonical form of its question's
kind:

    choice   the letter of a choice, e.g. "B"
    boolean  "true" or "false"
    number   a decimal or a fraction without separators, units or needless zeros: "1234", "-0.5",
             "3/4"; a percent sign is a unit, so 42 % is "42"
    square   the square a move ends on: "e5"; castling names none
    text     the words themselves

A reply without an answer gives None: it counts as unparsed, never votes and is never right.
"""

PARSERS = {
    "approval_ruling": "approval-ruling",
    "ballots": "ballot",
    "capital_letter": "first-capital last-capital",
    "confidence": "confidence confidence-percent confidence-ten confidence-words confident-answer",
    "evaluation": "evaluation",
    "experts": "experts",
    "extract": "answer reply text",
    "marked": "closing improvement proposal solution",
    "opinion": "opinion",
    "reasoned": "reasoned",
    "review": "review rubric-review",
    "ruling": "conclusion decision ruling support",
    "scored": "scored",
    "self_critique": "self-critique",
}
"""The parsers in each module."""
READINGS = {
    "approval_ruling": "approvalruling",
    "ballot": "ballot",
    "confidence": "confidence",
    "evaluation": "evaluation",
    "experts": "experts",
    "marked": "closing",
    "opinion": "opinion",
    "reasoned": "reasoned",
    "redundancies": "redundancies",
    "review": "rubricballot",
    "ruling": "ruling",
    "scored": "scores",
    "self_critique": "critique features",
    "standings": "standings",
}
"""The kinds of readings in each module."""
