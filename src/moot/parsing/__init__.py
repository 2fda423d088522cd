"""Parsing: from a reply's text to the answer that it commits to, and to what else it says.

``extract`` reads an answer. Each kind of answer has a room: ``choice``, ``boolean``, ``number``,
``square``, ``free_text``. ``parsers`` has all parsers, also those that read more than an answer,
such as a judge's ruling. ``same`` and ``correct`` compare answers, ``similarity`` whole texts,
``majority`` counts votes. Every answer is in the canonical form of its question's kind:

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
    "brackets": "answer-list passage-choice sameness",
    "confidence": "confidence confidence-percent confidence-ten confidence-words confident-answer",
    "evaluation": "evaluation",
    "experts": "experts",
    "extract": "answer reply text",
    "grounding": "grounding",
    "marked": "closing improvement proposal solution",
    "opinion": "opinion",
    "reasoned": "reasoned",
    "review": "review rubric-review",
    "ruling": "conclusion decision ruling support",
    "scored": "scored",
    "search_query": "search-query",
    "self_critique": "self-critique",
}
"""The parsers in each module."""
READINGS = {
    "approval_ruling": "approvalruling",
    "ballots": "ballot",
    "brackets": "answerlist passagechoice sameness",
    "confidence": "confidence",
    "evaluation": "evaluation",
    "experts": "experts",
    "grounding": "grounding",
    "marked": "closing",
    "opinion": "opinion",
    "reasoned": "reasoned",
    "redundancies": "redundancies",
    "review": "rubricballot",
    "ruling": "ruling",
    "scored": "scores",
    "search_query": "searchquery",
    "self_critique": "critique features",
    "standings": "standings",
    "tool_call": "no-call-left",
}
"""The kinds of readings in each module."""
