"""Settings that debates of several frameworks have."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

SeveralAgents = Annotated[
    int, Meta(ge=2, le=1000, title="Agents", description="how many agents take part")
]
EndsAtConsensus = Annotated[
    bool,
    Meta(
        title="End as soon as all agree", description="whether a round ends it in which all agree"
    ),
]
Opens = Annotated[
    Literal["first", "all"],
    Meta(
        title="Who is given a planted first answer",
        description="who is asked the opening of a study: the agent that speaks first, or all",
    ),
]


class _OpeningChoice(msgspec.Struct):
    opens: str


def list_opened(roles: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """Return the function from settings to the roles that are all asked the opening."""

    def find(settings: Mapping[str, Any]) -> tuple[str, ...]:
        return roles if msgspec.convert(settings, _OpeningChoice).opens == "all" else ()

    return find
