"""Settings of debates, with their types, ranges and help texts."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from moot.core.calls import Effort
from moot.core.confidence_scales import ConfidenceScale
from moot.core.errors import InputError, check_known, split_fault
from moot.debate.feature import ALWAYS, LOOKED_UP, OFF, ORDER

S = TypeVar("S", bound=msgspec.Struct)

DEFAULT_MODEL = "local/smollm2"
CONCISE = "concise"
"""The prompt style of communities (MAD-Community)."""
COOLER = 0.4
"""How far below its members a community's judge is in temperature (MAD-Community, section 4.1)."""

Agents = Annotated[
    int, Meta(ge=1, le=1000, title="Agents", description="how many agents take part")
]
SeveralAgents = Annotated[
    int, Meta(ge=2, le=1000, title="Agents", description="how many agents take part")
]
EndsAtConsensus = Annotated[
    bool,
    Meta(
        title="End as soon as all agree", description="whether a round ends it in which all agree"
    ),
]
Rounds = Annotated[
    int, Meta(ge=1, le=1000, title="Rounds", description="the most rounds there are")
]
REDRAWS = {"redraws": True}
"""The ``extra`` of a setting that says how often one prompt is drawn."""
Samples = Annotated[
    int,
    Meta(ge=1, le=10_000, title="Samples", description="how many samples are drawn", extra=REDRAWS),
]

HasSummary = Annotated[bool, Meta(description="whether agents read a summary of the round instead")]
Placing = Annotated[
    Literal["user", "system"],
    Meta(
        title="The message that has the question",
        description="the message the question stands in (MAD-Community, table 1)",
    ),
]

Provenance = Annotated[
    bool, Meta(description="whether members are told that what came in is other groups' verdicts")
]

Remembered = Annotated[
    Literal["chat", "last"],
    Meta(description="what agents remember: their whole chat, or their last answer alone"),
]

Opens = Annotated[
    Literal["first", "all"],
    Meta(
        title="Who is given a planted first answer",
        description="who is asked the opening of a study: the agent that speaks first, or all",
    ),
]

OMITTED = {"omit_default": True}
"""The ``extra`` of a setting that is recorded only where it differs from its default.

So a protocol can take a new setting, and the runs from before keep their settings and their key.
"""


class Sourced(msgspec.Struct, frozen=True, kw_only=True):
    """The setting of protocols that can follow their paper, or its code."""

    faithful: Annotated[
        Literal["ours", "paper", "code"],
        Meta(
            title="Whose choices it follows",
            description="follows moot's choices, the paper's, or those of the paper's code, where "
            "they differ; settings that you state come first",
            extra=OMITTED,
        ),
    ] = "ours"


FreeJudge = Annotated[
    bool,
    Meta(
        title="A judge may answer what no agent did",
        description="whether a judge's answer counts that no response gives",
        extra=OMITTED,
    ),
]
IN_WORDS = {"format": "words"}
"""The ``extra_json_schema`` of a setting that is a user's own words, for prompts alone.

It names no file, model or address, so that a client of a server may set it. With a further key
``about``, which names what the words are about, a form that starts a debate has no field for it.
"""
DecisionRule = Annotated[
    str,
    Meta(
        title="How the final answers become one",
        description="the rule by which the final answers become a verdict, such as plurality",
        extra=OMITTED,
    ),
]

BallotRule = Annotated[
    str,
    Meta(
        title="How the final answers become one",
        description="the rule by which the final answers become a verdict, such as plurality",
        extra=OMITTED,
        extra_json_schema={"counts": "ballots"},
    ),
]
"""The same of a protocol whose agents give ballots, which the rule counts."""

ConfidenceSource = Literal[ConfidenceScale, "logprobs", "consistency", "p-true"]
"""Where the confidence of a debater's answer comes from."""
MORE_DRAWS = 5
"""How often ``confidence = "consistency"`` draws each answer again, where nothing else is set."""

Temperature = Annotated[float, Meta(ge=0, le=2)]
TopP = Annotated[float, Meta(gt=0, le=1)]
Tokens = Annotated[int, Meta(ge=1)]


Percent = Annotated[int, Meta(ge=0, le=100)]
AgentEntry = dict[str, Any]


def acts_where(*cases: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``extra`` of a setting that acts in some cases alone.

    Args:
        cases: each names values of other settings, and of ``kind``, the question's, that are all
            needed for the setting to act.
    """
    return {"acts_where": cases}


KEY_SHOWN = {"shows_key": True}
"""The ``extra`` of a setting by which the right answer shapes what agents are shown."""


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of agents that every protocol has, and no feature.

    A protocol that looks documents up itself has those of ``LOOKED_UP`` as its own.
    """

    model: Annotated[str, Meta(description="who speaks for the agents")] = DEFAULT_MODEL
    style: Annotated[
        str,
        Meta(
            title="How agents are asked to answer",
            description="how it answers: simple, cot, bare, concise, few-shot, few-shot-cot, "
            "spp, spp-expert, chat, topic, explained",
        ),
    ] = "cot"
    temperature: Annotated[
        Temperature | None,
        Meta(title="How much replies vary (temperature)", description="0 is greedy"),
    ] = 0.7
    top_p: Annotated[
        TopP | None,
        Meta(title="How unlikely a word may be (top p)", description="nucleus sampling"),
    ] = None
    max_tokens: Annotated[Tokens | None, Meta(description="the longest reply, in tokens")] = None
    effort: Annotated[
        Effort | None, Meta(description="how much a reasoning model thinks; none: not at all")
    ] = None
    seed: Annotated[
        int,
        Meta(
            ge=0,
            lt=2**31,
            title="The number that fixes chance (seed)",
            description="base seed of all draws",
        ),
    ] = 0
    window: Annotated[
        Tokens | None,
        Meta(
            title="The longest prompt with its reply, in tokens",
            description="tokens a prompt and its reply may have together",
        ),
    ] = None


def list_usual() -> dict[str, Any]:
    """Return what settings of every protocol are where nothing is set, without an import."""
    return {**OFF, **ALWAYS, **msgspec.structs.asdict(AgentSettings())}


class SettingInfo(msgspec.Struct, frozen=True):
    """A setting, as lists of settings show it.

    Attributes:
        name: its name.
        type: its type and range in words, e.g. ``"int >= 1"``.
        default: its value if it is not set.
        help: its meaning.
        in_words: whether it is marked as ``IN_WORDS``.
    """

    name: str
    type: str
    default: Any
    help: str
    in_words: bool = False


def describe_settings(struct: type[msgspec.Struct]) -> list[SettingInfo]:
    """Return the settings of a struct, in the order of its fields."""
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    settings = []
    for field in info.fields:
        kind, more = field.type, dict[str, Any]()
        if isinstance(kind, msgspec.inspect.Metadata):
            more = kind.extra_json_schema or {}
            kind = kind.type
        made = field.default_factory  # what can change has a default made anew each time
        default = field.default if made is msgspec.NODEFAULT else made()
        told = _describe_type(kind), default, more.get("description", "")
        in_words = more.items() >= IN_WORDS.items()
        settings.append(SettingInfo(field.encode_name, *told, in_words))
    return settings


def _describe_type(kind: msgspec.inspect.Type) -> str:
    """Return a type and its range in words."""
    match kind:
        case msgspec.inspect.UnionType(types=types):
            return " or ".join(_describe_type(part) for part in types)
        case msgspec.inspect.VarTupleType() | msgspec.inspect.ListType():
            return "list"
        case msgspec.inspect.LiteralType(values=values):
            return " | ".join(repr(value) for value in values)
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            bounds = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
            known = [(sign, getattr(kind, name)) for name, sign in bounds.items()]
            name = "int" if isinstance(kind, msgspec.inspect.IntType) else "float"
            return " ".join([name, *(f"{sign} {at}" for sign, at in known if at is not None)])
        case _:
            return type(kind).__name__.removesuffix("Type").lower()


def convert_settings(struct: type[S], given: Mapping[str, Any], *, where: str) -> S:
    """Return the given settings as a struct. Texts from a command line are converted.

    Raises:
        UnknownName: a setting that does not exist, with the nearest that does.
        InputError: a value of the wrong type or out of range.
    """
    check_known("setting", given.keys(), struct.__struct_encode_fields__, where=where)
    try:
        return msgspec.convert(_convert_switches(struct, given), struct, strict=False)
    except msgspec.ValidationError as error:
        name, message = split_fault(error)
        value = f" = {given[name]!r}" if name in given else ""
        if message.startswith("Invalid enum value") and (options := _list_options(struct, name)):
            message = f"expected one of {', '.join(options)}"
        raise InputError(f"{where}: setting {name}{value}: {_lower_first(message)}") from None


def _list_options(struct: type[msgspec.Struct], name: str) -> list[str]:
    """Return the valid words of a setting; empty if it is not one of several words."""
    kind = get_type_hints(struct).get(name)
    kinds = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    literal = next((each for each in kinds if get_origin(each) is Literal), None)
    return [str(each) for each in get_args(literal)]


def _convert_switches(struct: type[msgspec.Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with "on" and "off" as truth values, for settings that are such."""
    meant = {"on": True, "off": False}
    switches = [
        name for name, value in given.items() if isinstance(value, str) and value.lower() in meant
    ]
    if not switches:
        return dict(given)
    kinds = get_type_hints(struct)
    return dict(given) | {
        name: meant[given[name].lower()] for name in switches if kinds.get(name) is bool
    }


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def list_parameters(algorithm: Callable[..., Any], *, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, type and default of every keyword-only parameter of an algorithm.

    Raises:
        InputError: one has no type or no default, or has the name of a setting of every protocol.
    """
    hints = get_type_hints(algorithm, include_extras=True)
    for parameter in inspect.signature(algorithm).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.name not in hints or parameter.default is parameter.empty:
                raise InputError(f"{where}: setting {parameter.name} needs a type and a default")
            if parameter.name in ORDER and parameter.name not in LOOKED_UP:
                raise InputError(
                    f"{where}: setting {parameter.name}: every protocol has a setting of this name"
                )
            yield parameter.name, hints[parameter.name], parameter.default


def list_struct_fields(struct: type[msgspec.Struct]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, type and default of every field of a struct."""
    hints = get_type_hints(struct, include_extras=True)
    for each in msgspec.structs.fields(struct):
        made = each.default_factory  # what can change has a default made anew each time
        default = each.default if made is msgspec.NODEFAULT else made()
        yield each.name, hints[each.name], default


def list_marked(own: type[msgspec.Struct], mark: Mapping[str, Any]) -> list[str]:
    """Return the settings of a protocol's own whose type has a mark in its ``extra``."""
    kinds = get_type_hints(own, include_extras=True)
    return [name for name, kind in kinds.items() if _is_marked(kind, mark)]


def _is_marked(kind: Any, mark: Mapping[str, Any]) -> bool:  # noqa: ANN401 -- a type may be annotated or not
    extras = (getattr(meta, "extra", None) or {} for meta in getattr(kind, "__metadata__", ()))
    return any(each.items() >= mark.items() for each in extras)


def find_omitted(fields: Iterable[tuple[str, Any, Any]]) -> dict[str, Any]:
    """Return the defaults of settings that are recorded only where they differ, by name.

    Args:
        fields: the name, type and default of every setting of a protocol's own.
    """
    every = [*list_struct_fields(AgentSettings), *fields]  # a setting of its own comes last
    kinds = {name: (kind, default) for name, kind, default in every}
    own = {name: each for name, (kind, each) in kinds.items() if _is_marked(kind, OMITTED)}
    return {**{name: each for name, each in OFF.items() if name not in kinds}, **own}
