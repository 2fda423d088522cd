"""Going on from a stage of an essay: its pool, team or plan as edited, or a remark on the essay."""

from asyncio import to_thread
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace
from starlette.requests import Request

from moot import InputError, MootError, Transcript, UnknownName
from moot.contrib.essays.desk.session_documents import folder_of, uploads_of
from moot.contrib.essays.draft import Draft
from moot.contrib.essays.persona_lists import MOST, Persona
from moot.contrib.essays.shown_numbers import ShownNumbers
from moot.contrib.essays.write import plan_essay
from moot.contrib.essays.written import Written, describe_essay
from moot.contrib.server.pages.debate_form import foresee_plan
from moot.extend.protocols import protocols
from moot.extend.studies import Estimate, QuestionPlan, restore_plan

PEOPLE = {"personas": "personas", "selection": "team"}
"""By the stage of people, the field of a draft that has them."""
STAND_IN = "A remark of usual length."
"""The price of a revision is estimated with it."""
TEXT = "text"
"""The form of an essay's own text, which is edited, and checked again for no call."""
_NUMBERED = ("essay", "plan", "revise")
"""The fields that may name passages."""
THEN = {
    TEXT: {"": "Check it again"},
    "essay": {"": "Revise it"},
    "plan": {"": "Write the essay"},
    "debate": {"plan": "Make the plan, then ask me", "": "Go on to the essay"},
    "selection": {"plan": "Debate and plan, then ask me", "": "Go on to the essay"},
    "personas": {"selection": "Choose the team, then ask me", "": "Go on to the essay"},
}
"""By stage, the words of its buttons, by the stage after which it ends again."""


class NextStage(NamedTuple):
    """A form that goes on from a stage.

    Attributes:
        stage: from which it goes on.
        then: the words of its buttons, by the stage after which it ends again; empty: the essay.
        people: the pool or the team to be edited, and an empty one; empty where there is none.
        plan: the plan to be edited; empty where there is none.
        text: the essay to be edited; empty where the form is about another stage.
        essays: how many essays there are to revise; 0 where the form is about another stage.
        is_asked: whether the writer wanted to look at this stage before it goes on.
        estimate: what follows takes, unedited; None where that is not known.
    """

    stage: str
    then: dict[str, str]
    people: tuple[Persona, ...] = ()
    plan: str = ""
    text: str = ""
    essays: int = 0
    is_asked: bool = False
    estimate: Estimate | None = None


async def list_next(request: Request, transcript: Transcript, run: str) -> list[NextStage]:
    """Return the forms that go on from an essay that has ended, the last stage first."""
    written = describe_essay(transcript, run)
    if not protocols.get(written.protocol).stages:
        return []
    return [await _foresee(request, written, each) for each in _list_forms(written)]


def _list_forms(written: Written) -> Iterator[NextStage]:
    draft, numbers = written.draft(), ShownNumbers(written)
    last = next((stage for stage in THEN if stage in draft.stages), "")
    if draft.essay:
        yield NextStage(TEXT, THEN[TEXT], text=numbers.show(draft.essay))
    for stage, then in THEN.items():
        if stage not in draft.stages or (stage == "debate" and last != stage):
            continue
        form = NextStage(stage, then, is_asked=stage == last != "essay")
        if stage in PEOPLE:
            people = getattr(draft, PEOPLE[stage])
            yield form._replace(people=(*people, Persona(description=""))[:MOST])
        elif stage == "essay":
            yield form._replace(essays=len(written.alternatives) or 1)
        else:
            yield form._replace(plan=numbers.show(draft.plan))


async def _foresee(request: Request, written: Written, form: NextStage) -> NextStage:
    try:
        plan = await _plan(request, written, {"stage": form.stage, "revise": STAND_IN})
        return form._replace(estimate=await foresee_plan(request, plan))
    except MootError:  # its button says why
        return form


async def plan_next(
    request: Request, transcript: Transcript, run: str, given: Mapping[str, str]
) -> QuestionPlan:
    """Return the plan of what a filled form asks for. Raises ``InputError``."""
    return await _plan(request, describe_essay(transcript, run), given)


async def _plan(request: Request, written: Written, given: Mapping[str, str]) -> QuestionPlan:
    texts = {name: text.replace("\r\n", "\n").strip() for name, text in given.items()}
    texts |= _read_shown(written, texts)
    draft = _choose_essay(written, texts) if texts.get("stage") == "essay" else written.draft()
    draft = edit_draft(draft, texts)
    _check_documents(request, draft.settings.get("evidence", ""))
    began = await to_thread(restore_plan, request.app.state.lab.store.find_run(written.run))
    return await to_thread(
        plan_essay,
        "",
        draft=draft,
        stance=None,
        protocol=None,
        evidence=None,
        prompts=began.overlay if began else None,
        settings=_read_settings(texts),
    )


def _read_shown(written: Written, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that name passages by the numbers shown, with those of the transcript."""
    draft, numbers = written.draft(), ShownNumbers(written)
    own = {numbers.show(each).strip(): each for each in (draft.essay, draft.plan)}
    given = {name: texts[name] for name in _NUMBERED if name in texts}
    return {name: own.get(text, numbers.read(text)) for name, text in given.items()}


def _choose_essay(written: Written, texts: Mapping[str, str]) -> Draft:
    """Return the draft with the essay that is to be revised, of several the one that is chosen."""
    essays = [each.essay or "" for each in written.alternatives] or [written.essay or ""]
    number = _read_number(texts, "which")
    if not 1 <= number <= len(essays) or not essays[number - 1]:
        raise InputError(f"which: there is no essay {number}; there are {len(essays)}")
    return replace(written.draft(), essay=essays[number - 1])


def _read_settings(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that a form has. Raises ``InputError``."""
    settings: dict[str, Any] = {"until": texts.get("until", "")}
    if texts["stage"] == "essay":
        if not (remark := texts.get("revise", "")):
            raise InputError("revise: it is empty; say what is to be changed")
        settings |= {"revise": remark}
    if texts.get("alternatives"):
        settings |= {"alternatives": _read_number(texts, "alternatives")}
    return settings


def _read_number(texts: Mapping[str, str], name: str) -> int:
    """Return a field's whole number, 1 where it is empty. Raises ``InputError`` if it has none."""
    try:
        return int(texts.get(name) or "1")
    except ValueError:
        raise InputError(f"{name}: {texts[name][:40]!r} is not a whole number") from None


def edit_draft(draft: Draft, texts: Mapping[str, str]) -> Draft:
    """Return a draft up to the stage of a form, as the form's fields have it.

    Args:
        draft: as it was recorded.
        texts: the fields; those that are not there leave what was recorded.

    Raises:
        InputError: a pool or a team is empty, a plan or an essay has no words, or there is no such
            stage.
    """
    stage = texts.get("stage", "")
    if stage in PEOPLE:
        name = PEOPLE[stage]
        people = getattr(draft, name)
        if any(each.startswith(f"{name}.") for each in texts):
            people = tuple(_edit_people(people, name, texts))
        if not people:
            raise InputError(f"{name}: it is empty; describe a person")
        empty = {"team": ()} if stage == "personas" else {}
        return replace(draft, **{**empty, name: people, "dialogue": (), "plan": "", "essay": ""})
    if stage == "plan":
        plan = texts.get("plan", draft.plan)
        if not plan:
            raise InputError("plan: it is empty; write what the essay is to say")
        return replace(draft, plan=plan, essay="")
    if stage == "debate":
        return replace(draft, plan="", essay="")
    if stage == TEXT:
        if not (text := texts.get("essay", draft.essay)):
            raise InputError("essay: it is empty; write it, or go on from the plan")
        return replace(draft, essay=text)
    if stage == "essay":
        return draft
    raise UnknownName("stage", stage[:40], THEN)


def _edit_people(people: tuple[Persona, ...], name: str, texts: Mapping[str, str]) -> list[Persona]:
    """Return the people that are described; who stays the same keeps why it was chosen."""
    reasons = {each.description: each.reason for each in people}
    found = []
    for number in range(MOST):
        who = " ".join(texts.get(f"{name}.{number}.description", "").split())
        claim = " ".join(texts.get(f"{name}.{number}.claim", "").split())
        if claim and not who:
            raise InputError(f"{name}: person {number + 1} claims something; say who it is")
        if who:
            found.append(Persona(description=who, claim=claim, reason=reasons.get(who, "")))
    return found


def _check_documents(request: Request, folder: str) -> None:
    """Check that the documents of an essay are those of this session, and still there.

    Else another reader of the essay could have other passages looked up. Raises ``InputError``.
    """
    if not uploads_of(request).holds(folder):
        return
    if Path(folder).parent != folder_of(request).path:
        raise InputError("its documents were uploaded in another browser: go on there")
    if not Path(folder).is_dir():
        raise InputError(
            "the documents that it quotes from were removed: upload them again, and write anew"
        )
