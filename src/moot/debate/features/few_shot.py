"""Few-shot: worked examples stand before the question, where a style shows them."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from moot.debate.feature import Feature


class FewShotSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of worked examples."""

    shots: Annotated[int, Meta(ge=1, le=100, description="examples of a few-shot style")] = 5
    examples: Annotated[
        str | None, Meta(description="file of examples; else the dataset's training part")
    ] = None
    choose: Annotated[Literal["seeded", "nearest"], Meta(description="how examples are chosen")] = (
        "seeded"
    )
    shots_as: Annotated[
        Literal["messages", "message"],
        Meta(description="examples as messages of user and assistant, or all in one message"),
    ] = "messages"


class FewShot(Feature):
    """Worked examples are shown."""

    names = ("shots", "examples", "choose", "shots_as")
    Settings = FewShotSettings


FEATURE = FewShot()
