"""Going on from a stage of an essay: its team or its plan as the writer edits it."""

from asyncio import to_thread
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from starlette.requests import Request

from moot import InputError, MootError, Transcript
from moot.debate.protocol import registry as protocols
from moot.essays.desk.session_documents import folder_of, uploads_of
from moot.essays.draft import Draft
from moot.essays.persona_lists import MOST, Persona
from moot.essays.write import plan_essay
from moot.essays.written import Written, describe_essay
from moot.server.pages.debate_form import foresee_plan
from moot.studies.estimate import Estimate
from moot.studies.question_plan import QuestionPlan, restore_plan


class NextStage(NamedTuple):
    """A form that goes on from a stage.

    Attributes:
        stage: from which it goes on: ``selection``, ``debate`` or ``plan``.
        then: by the stage after which it ends again, empty for the essay, the words of a button.
        team: the members to be edited, and an empty one; empty where there is none to edit.
        plan: the plan to be edited; empty where there is none.
        is_last: whether it is the stage that was reached last; the others are made anew from it.
        estimate: what the essay takes from here, unedited; None where that is not known.
    """

    stage: str
    then: dict[str, str]
    team: tuple[Persona, ...] = ()
    plan: str = ""
    is_last: bool = True
    estimate: Estimate | None = None


async def list_next(request: Request, transcript: Transcript, run: str) -> list[NextStage]:
    """Return the forms that go on from an essay that has ended, the last stage first."""
    written = describe_essay(transcript, run)
    if not protocols.get(written.protocol).stages:
        return []
    draft, found = written.draft(), list[NextStage]()
    if draft.plan:
        found.append(NextStage("plan", {"": "Write the essay"}, plan=draft.plan))
    elif draft.dialogue:
        then = {"plan": "Make the plan, then ask me", "": "Go on to the essay"}
        found.append(NextStage("debate", then))
    if draft.team:
        then = {"plan": "Debate and plan, then ask me", "": "Go on to the essay"}
        room = (*draft.team, Persona(description=""))[:MOST]
        found.append(NextStage("selection", then, team=room, is_last=not found))
    return [await _foresee(request, written, each) for each in found]


async def _foresee(request: Request, written: Written, form: NextStage) -> NextStage:
    try:
        draft = edit_draft(written.draft(), form.stage, {})
        plan = await _plan(request, written, draft, until="")
        return form._replace(estimate=await foresee_plan(request, plan))
    except MootError:  # its button says why
        return form


def edit_draft(draft: Draft, stage: str, given: Mapping[str, str]) -> Draft:
    """Return a draft up to a stage, as the fields of its form have it.

    Args:
        draft: as it was recorded.
        stage: from which it goes on.
        given: the fields; those that are not there leave what was recorded.

    Raises:
        InputError: the team has no member, or the plan no words.
    """
    texts = {name: text.replace("\r\n", "\n").strip() for name, text in given.items()}
    if stage == "selection":
        is_edited = any(name.startswith("team.") for name in texts)
        team = tuple(_edit_team(draft.team, texts)) if is_edited else draft.team
        if not team:
            raise InputError("team: describe a member")
        return replace(draft, team=team, dialogue=(), plan="", essay="")
    if stage == "plan":
        plan = texts.get("plan", draft.plan)
        if not plan:
            raise InputError("plan: it is empty; write what the essay is to say")
        return replace(draft, plan=plan, essay="")
    return replace(draft, plan="", essay="")


def _edit_team(team: tuple[Persona, ...], texts: Mapping[str, str]) -> list[Persona]:
    """Return the members that are described; one that stays who it was keeps why it was chosen."""
    reasons = {each.description: each.reason for each in team}
    found = []
    for number in range(MOST):
        who = " ".join(texts.get(f"team.{number}.description", "").split())
        claim = " ".join(texts.get(f"team.{number}.claim", "").split())
        if claim and not who:
            raise InputError(f"team: member {number + 1} claims something; say who it is")
        if who:
            found.append(Persona(description=who, claim=claim, reason=reasons.get(who, "")))
    return found


async def _plan(request: Request, written: Written, draft: Draft, until: str) -> QuestionPlan:
    """Return the plan that goes on from a draft. Raises ``InputError``."""
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
        settings={"until": until},
    )


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


async def plan_next(
    request: Request, transcript: Transcript, run: str, given: Mapping[str, str]
) -> QuestionPlan:
    """Return the plan of what a filled form asks for. Raises ``InputError``."""
    written = describe_essay(transcript, run)
    draft = edit_draft(written.draft(), given.get("stage", ""), given)
    return await _plan(request, written, draft, given.get("until", ""))
