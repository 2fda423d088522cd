"""Agreement: agents that read one another are told how far to agree."""

from typing import Annotated

import msgspec
from msgspec import Meta

from moot.debate.feature import Feature
from moot.debate.protocol_settings import Percent


class AgreementSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The setting of how far agents agree."""

    agreement: Annotated[
        Percent | None, Meta(description="how far agents are to agree, in %; none: not told")
    ] = None


class Agreement(Feature):
    """Prompts say how far to agree, by the pack's slot ``agreement``."""

    names = ("agreement",)
    for_nodes = True
    Settings = AgreementSettings


FEATURE = Agreement()
