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
