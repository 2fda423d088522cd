"""The brief of an essay: what its user asks of length, readers, tone, language and outline."""

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot import Debate, InputError
from moot.contrib.essays.essay_settings import LEAST_POINTS, EssaySettings
from moot.contrib.essays.text_measures import is_spaceless
from moot.extend.protocols import IN_WORDS, OMITTED
from moot.extend.words import make_visible


class BriefSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all protocols of essays that say what is asked of the text."""

    words: Annotated[
        int,
        Meta(
            ge=0,
            le=20_000,
            description="how many words the essay is to have; 0: as the model likes",
            extra=OMITTED,
        ),
    ] = 0
    audience: Annotated[
        str,
        Meta(
            max_length=500,
            description="for whom the essay is written, in your words; empty: for anybody",
            extra_json_schema=IN_WORDS,
            extra=OMITTED,
        ),
    ] = ""
    tone: Annotated[
        str,
        Meta(
            max_length=500,
            description="the tone of the essay, in your words; empty: as the model likes",
            extra_json_schema=IN_WORDS,
            extra=OMITTED,
        ),
    ] = ""
    language: Annotated[
        str,
        Meta(
            max_length=100,
            description="the language of the essay, in your words; empty: as the model likes",
            extra_json_schema=IN_WORDS,
            extra=OMITTED,
        ),
    ] = ""


OwnOutline = Annotated[
    str,
    Meta(
        max_length=10_000,
        description="your own points of the essay, one a line, whose order is kept; empty: none",
        extra_json_schema=IN_WORDS,
        extra=OMITTED,
    ),
]


class Brief(NamedTuple):
    """The wishes of a user for an essay, in the words of the prompts; one not stated is empty.

    Attributes:
        length: the length, for who plans and who writes.
        team: the language, for all others.
        planner: the readers and the language.
        writer: the readers, the tone and the language.
    """

    length: str
    team: str
    planner: str
    writer: str


def read_brief(debate: Debate) -> Brief:
    """Return the brief that the settings of a debate give for its essay."""
    asked = EssaySettings.read(debate.context.settings)
    words, language = asked.words, asked.language
    spaceless = bool(language) or is_spaceless(debate.question.text)

    def tell(audience: str, tone: str) -> str:
        return debate.word("brief", audience=audience, tone=tone, language=language)

    return Brief(
        length=debate.word("length", words=words, spaceless=spaceless) if words else "",
        team=tell("", ""),
        planner=tell(asked.audience, ""),
        writer=tell(asked.audience, asked.tone),
    )


def check_brief(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the settings of an essay.

    Raises:
        InputError: a text has a character that cannot be seen, or a line too many; or the plan of
            an essay that weighs both sides has too few points.
    """
    asked = EssaySettings.read(settings)
    for name in ("audience", "tone", "language", "outline", "revise"):
        lines = name in {"outline", "revise"}
        check_text(getattr(asked, name), f"{where}: setting {name}", lines=lines)
    if asked.strict and asked.alternatives > 1:
        raise InputError(
            f"{where}: strict mends one essay, and there are {asked.alternatives} "
            "alternatives; leave one of the two out"
        )
    if asked.stance == "both" and asked.points < LEAST_POINTS and not asked.outline:
        raise InputError(
            f"{where}: setting points = {asked.points}: a plan that weighs both sides has a point "
            f"for each and a conclusion; set points = {LEAST_POINTS} or more"
        )
    return settings


def check_text(text: str, where: str, *, lines: bool = True) -> None:
    """Raise ``InputError`` for a text with what cannot be seen, or with lines where it has one."""
    if not lines and "\n" in text:
        raise InputError(f"{where}: it has several lines; write one")
    for seen in (make_visible(each) for each in text if make_visible(each) != each):
        raise InputError(f"{where}: it has the control character {seen}; leave it out")


def own_points(outline: str) -> list[str]:
    """Return the lines of a user's outline that say something, without space around them."""
    return [line.strip() for line in outline.split("\n") if line.strip()]
