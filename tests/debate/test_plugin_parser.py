"""A parser of one's own that returns what it may not is told so."""

import pytest

import moot
from moot.parsing.parser import registry


class Confidence(moot.Reading, frozen=True, tag="sureness"):
    """How sure an agent says it is, 0 to 1."""

    value: float


def test_a_parser_that_returns_something_else_is_told_so():
    question = moot.Question(id="q", kind="number", text="2 + 2?")
    try:
        nothing = moot.parser(name="nothing")(lambda *_: "4")
        other = moot.parser(name="other")(lambda *_: moot.Parsed("4", Confidence(value=1.0)))
        with pytest.raises(TypeError, match=r"parser nothing: it returned '4' and no moot\.Parsed"):
            nothing("4", question)
        with pytest.raises(TypeError, match=r"parser other: its reading is .* it declares none"):
            other("4", question)
    finally:
        del registry._found["nothing"], registry._found["other"]
