"""Answers: from what a reply says to what it commits to, and from many answers to one.

``extract`` reads a reply; ``READERS`` are all the ways to read one that says more, such as a
judge's JSON. ``same`` and ``correct`` compare answers, ``similarity`` whole texts; ``majority``
votes. Every answer is in the canonical form of its question's kind:

    choice   the letter of a choice, e.g. "B"
    boolean  "true" or "false"
    number   a decimal or a fraction without separators, units or needless zeros: "1234", "-0.5",
             "3/4"; a percent sign is a unit, so 42 % is "42"
    square   the square a move ends on: "e5"; castling names none
    text     the words themselves

Whatever is not an answer is None, which is counted as unparsed, never votes and is never right.
"""
