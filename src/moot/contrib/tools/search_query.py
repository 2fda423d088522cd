"""Search queries: what an agent wants looked up, in square brackets."""

import re

from moot import Parsed, Question, Reading, parser
from moot.contrib.tools.grounding import Heard

LONGEST = 300
"""Characters of the longest query; what is longer is cut."""
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_CONTINUE = re.compile(r"\W*continue\W*", re.IGNORECASE)


class SearchQuery(Reading, frozen=True, kw_only=True):
    """What an agent wants looked up.

    Attributes:
        query: the words; empty where it goes on with the passages that it has.
    """

    query: str


@parser(name="search-query", reading=SearchQuery)
def parse_search_query(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:
    """Read the last text in square brackets, or "Continue", with or without them.

    A reply of a single line without brackets is a query as a whole. Any other reply is none.
    """
    found = _BRACKETS.findall(text)
    said = found[-1] if found else text.strip()
    if not found and ("\n" in said or not said):
        return Parsed(None)
    if _CONTINUE.fullmatch(said):
        return Parsed(None, SearchQuery(query=""))
    words = " ".join(said.split())[:LONGEST]
    return Parsed(None, SearchQuery(query=words)) if words else Parsed(None)
