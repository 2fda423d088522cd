"""``moot.write``: one proposition, argued in an essay."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

from moot import Budget, Event, InputError, Model, Price, Transcript, UnknownName
from moot.contrib.documents.documents import join_sources
from moot.contrib.essays.draft import Draft, read_draft
from moot.contrib.essays.draft_making import make_draft
from moot.contrib.essays.own_people import plain_people
from moot.contrib.essays.written import Written, describe_essay
from moot.extend.calls import read_small
from moot.extend.faults import (
    decode_json,
    describe_not_utf8,
    place_errors,
)
from moot.extend.protocols import Protocol, protocols
from moot.extend.studies import QuestionPlan, default_model, make_sync, open_lab, plan_question
from moot.extend.words import on_one_line

PROTOCOL, STANCE = "debate-to-write", "oppose"
"""The defaults."""

STANCES = "oppose", "support", "both"
TYPES: dict[str, tuple[Any, str]] = {
    "proposition": (str, "a text"),
    "draft": (Draft | Written | str | Path | None, "a Draft, its file, an essay or a run's id"),
    "stance": (str | None, "'oppose', 'support' or 'both'"),
    "protocol": (str | None, "a protocol's name"),
    "evidence": (str | Path | list | tuple | None, "a folder or a file, or a list of them"),
    "model": (str | Model | None, "a name or a model"),
    "store": (str | Path | None, "a folder"),
    "prompts": (str | Path | None, "a file"),
    "budget": (Budget | None, "a Budget"),
    "prices": (Mapping | None, "prices by model name"),
    "listen": (Callable | None, "a function"),
}
"""The types of each parameter of ``write``, and the same in words."""


async def write(
    proposition: str = "",
    *,
    draft: Draft | Written | str | Path | None = None,
    stance: str | None = None,
    protocol: str | None = None,
    model: str | Model | None = None,
    evidence: str | Path | Sequence[str | Path] | None = None,
    skip_unreadable: bool = False,
    store: str | Path | None = None,
    prompts: str | Path | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    listen: Callable[[Event], None] | None = None,
    **settings: Any,  # noqa: ANN401 -- each protocol has its own, checked by name, type and range
) -> Written:
    """Argue over a proposition and return the essay with how it came about and its price.

    Args:
        proposition: what is argued over, as a sentence; a draft has it.
        draft: what is there already: a draft or its file, an essay or its JSON, or a run's id. What
            stands in it is not asked again, and its settings hold where no others are given. An
            essay that it has is checked against the evidence again, for no call.
            ``until="plan"`` stops after a stage (``personas``, ``selection``, ``debate``,
            ``plan``), and ``Written.draft`` gives the draft. ``revise="a remark"`` revises its
            essay; ``alternatives=3`` writes several from the same plan.
        stance: ``oppose`` for an essay against it, which is the default, ``support`` for one in its
            favour, ``both`` for one that weighs both sides and concludes.
        protocol: ``debate-to-write``, which is the default, or another that writes essays:
            ``essay-direct``, ``essay-plan``, ``americano``.
        model: a model or its name; ``MOOT_MODEL``, else the embedded one, when not given.
        evidence: a folder of documents (.txt, .md, .html, .pdf, .docx) that the essay may quote, a
            document, or a list of both.
        skip_unreadable: whether documents that cannot be read are left out, which the result says;
            otherwise they are errors.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        prompts: a file of prompts laid over moot's own.
        budget: the most it may cost; reaching it raises ``BudgetReached``.
        prices: of the models, by name, where they are unknown or others; ``moot.Price``.
        listen: is told each event as it happens.
        settings: the protocol's settings, e.g. ``team=3, rounds=2``; ``words=600``, ``audience``,
            ``tone`` and ``language`` say how it is to be written, ``outline`` (a text, or the path
            of a file) by which points, ``people`` (tables, personas, or the path of a TOML file)
            who is in the team.

    Raises:
        InputError: something given cannot be; nothing was called.
        BudgetReached: the budget does not suffice; what was paid for is in the store.
        StoreError: the store cannot be read or written.
    """
    given = locals()
    for name, (kinds, words) in TYPES.items():
        if not isinstance(given[name], kinds):
            raise InputError(f"{name}: expected {words}, got {given[name]!r}")
    plan = plan_essay(
        proposition,
        draft=None if draft is None else await find_draft(draft, store),
        stance=stance,
        protocol=protocol,
        evidence=evidence,
        skip_unreadable=skip_unreadable,
        prompts=prompts,
        settings={**settings, **({"model": getattr(model, "name", model)} if model else {})},
        budget=budget,
        prices=prices,
    )
    answer = await plan.answer(model=model, store=store, listen=listen)
    return describe_essay(answer.transcript, answer.run)


write_sync = make_sync(write)


def plan_essay(
    proposition: str,
    *,
    draft: Draft | None = None,
    stance: str | None,
    protocol: str | None,
    evidence: str | Path | Sequence[str | Path] | None,
    prompts: str | Path | None,
    settings: Mapping[str, Any],
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    skip_unreadable: bool = False,
) -> QuestionPlan:
    """Check all that was given to ``write``, and return the plan. Raises ``InputError``."""
    given: dict[str, Any] = {"model": default_model(), "stance": STANCE}
    if draft is not None:
        proposition, protocol = _agree(draft, proposition, protocol)
        given |= {**draft.settings, **_take_stages(draft, settings)}
    elif settings.get("revise"):
        raise InputError("revise: of which essay? go on from its draft (--from)")
    given |= {**settings, **({"stance": stance} if stance else {})}
    if not proposition.strip():
        raise InputError("proposition: it is empty; state what is to be argued over")
    if given["stance"] not in STANCES:
        raise UnknownName("stance", given["stance"], STANCES)
    writes = find_essay_protocol(protocol or PROTOCOL)
    if evidence is not None:
        given["evidence"] = read_sources(evidence, skip_unreadable=skip_unreadable)
    elif skip_unreadable:
        raise InputError("skip_unreadable: of which documents? name them with evidence")
    given |= _load_files(given)
    _check_taken(writes, given)
    return plan_question(
        proposition,
        protocol=writes.name,
        prompts=Path(prompts) if prompts else None,
        settings=given,
        budget=budget,
        prices=prices,
    )


def read_sources(
    evidence: str | Path | Sequence[str | Path], *, skip_unreadable: bool = False
) -> str:
    """Return the setting of the documents that are named. Raises ``InputError``."""
    named = [evidence] if isinstance(evidence, str | Path) else list(evidence)
    if not named or not all(isinstance(each, str | Path) and str(each) for each in named):
        raise InputError("evidence: it is empty; name a folder, or leave it out")
    with place_errors("evidence"):
        return join_sources(named, skip_unreadable=skip_unreadable)


async def find_draft(source: Draft | Written | str | Path, store: str | Path | None) -> Draft:
    """Return a draft: of its file, of an essay or its JSON, or of a run in the store.

    Args:
        source: what it comes from; the beginning of a run's id is enough.
        store: the ledger's folder.

    Raises:
        InputError: there is neither such a file nor such a run, or it is no draft.
    """
    if (found := _find_without_run(source)) is not None:
        return found
    async with open_lab(store, readonly=True) as lab:
        held = lab.store.find_debates(str(source), one_question=True)
    essays = [each for each in held if is_essay(each.transcript)]
    if len(essays) != 1:
        raise InputError(f"run {source}: it has {len(essays)} essays; name a run of one")
    return describe_essay(essays[0].transcript).draft()


def _find_without_run(source: Draft | Written | str | Path) -> Draft | None:
    """Return a draft of what it is, or of a file; None for what may be a run's id."""
    if isinstance(source, Draft):
        return source
    if isinstance(source, Written):
        return source.draft()
    file = Path(source)
    if file.suffix == ".json":
        with place_errors(f"draft {file}"):
            return make_draft(_read_json(file))
    return read_draft(file) if file.suffix or file.exists() else None


def _read_json(file: Path) -> dict[str, Any]:
    """Return the object in a file. Raises ``InputError`` where there is none."""
    try:
        content = read_small(file)
    except OSError as error:
        raise InputError(str(error.strerror or error)) from None
    with place_errors("no JSON object"):
        found: dict[str, Any] = decode_json(content, dict[str, Any])
    return found


def _agree(draft: Draft, proposition: str, protocol: str | None) -> tuple[str, str]:
    """Return the draft's proposition and protocol. Raises ``InputError`` where others are given."""
    for name, said, had in (
        ("proposition", proposition, draft.proposition),
        ("protocol", protocol, draft.protocol),
    ):
        if said and said != had:
            raise InputError(f"{name} {said!r}: the draft has another: {had!r}; leave it out")
    return draft.proposition, draft.protocol


def _take_stages(draft: Draft, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the setting of a draft's stages, up to the one after which it is to end.

    Raises:
        InputError: there is no essay to revise, or one where others are to be written.
    """
    stages, revises = draft.stages, bool(settings.get("revise"))
    until = settings.get("until")
    if until in stages:
        names = list(stages)
        stages = {name: stages[name] for name in names[: names.index(until) + 1]}
    if revises and "essay" not in stages:
        raise InputError("revise: the draft has no essay; go on from it without, and then revise")
    if "essay" in stages and not revises and settings.get("alternatives", 1) != 1:
        raise InputError("alternatives: the draft has its essay; delete [essay] to write others")
    return {"draft": stages} if stages else {}


def find_essay_protocol(name: str) -> Protocol:
    """Return the protocol of this name. Raises ``UnknownName`` if it writes no essays."""
    try:
        found = protocols.get(name)
    except UnknownName:
        found = None
    if found is None or not _has_setting(found, "stance"):
        valid = [each.name for each in essay_protocols()]
        raise UnknownName("protocol", name, valid, where="an essay")
    return found


def _load_files(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that may name a file, with what stands in it. Raises ``InputError``."""
    loaded: dict[str, Any] = {}
    if isinstance(outline := given.get("outline"), Path):
        loaded["outline"] = _read_outline(outline)
    if "people" in given:
        loaded["people"] = plain_people(given["people"])
    return loaded


def _read_outline(file: Path) -> str:
    """Return the text of an outline's file. Raises ``InputError`` where it cannot be read."""
    try:
        return read_small(file).decode("utf-8-sig").replace("\r\n", "\n").strip()
    except OSError as error:
        raise InputError(f"outline {file}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"outline {file}: {describe_not_utf8(error)}") from None


def _check_taken(protocol: Protocol, given: Mapping[str, Any]) -> None:
    """Raise ``InputError`` for what only other protocols of essays take, and say which."""
    if given["stance"] == "both" and "both" not in _stances(protocol):
        takes = [each.name for each in essay_protocols() if "both" in _stances(each)]
        raise InputError(
            f"stance both: protocol {protocol.name} argues one side; those that weigh both: "
            f"{', '.join(takes)}"
        )
    refused = list_refused(protocol)
    for name, value in given.items():
        if name not in refused:
            continue
        takes = [each.name for each in essay_protocols() if _has_setting(each, name)]
        shown = "" if isinstance(value, Mapping) else f" {on_one_line(str(value))}"
        raise InputError(
            f"{name}{shown}: protocol {protocol.name} takes none; those that do: {', '.join(takes)}"
        )


def list_refused(protocol: Protocol) -> frozenset[str]:
    """Return the settings that other protocols of essays take and this one refuses."""
    every = {name for each in essay_protocols() for name in each.own.__struct_fields__}
    return frozenset(every - {*protocol.own.__struct_fields__})


def _stances(protocol: Protocol) -> tuple[Any, ...]:
    """Return the stances that a protocol can take."""
    kind = get_type_hints(protocol.own, include_extras=False)["stance"]
    return get_args(kind)


def essay_protocols() -> list[Protocol]:
    """Return every protocol that writes essays: those with a setting ``stance``."""
    return [each for each in protocols if _has_setting(each, "stance")]


def takes_evidence(protocol: Protocol) -> bool:
    """Return whether a protocol's agents may quote from a folder of documents."""
    return _has_setting(protocol, "evidence")


def is_essay(transcript: Transcript) -> bool:
    """Return whether a debate writes an essay: whether its protocol has a setting ``stance``."""
    return "stance" in transcript.opened.settings


def _has_setting(protocol: Protocol, setting: str) -> bool:
    """Return whether the protocol's algorithm has a setting of this name."""
    return setting in protocol.own.__struct_fields__
