"""Settings that debates of several frameworks have."""

from typing import Annotated, Literal

from msgspec import Meta

SeveralAgents = Annotated[int, Meta(ge=2, le=1000, description="how many agents take part")]
EndsAtConsensus = Annotated[bool, Meta(description="whether a round ends it in which all agree")]
Opens = Annotated[
    Literal["first", "all"],
    Meta(description="who is asked the opening of a study: the agent that speaks first, or all"),
]
