"""Planned essay writing: one agent plans, then writes (a baseline of Debate-to-Write)."""

from functools import partial
from typing import Any

from moot import Debate, Question, Verdict, protocol
from moot.contrib.documents.evidence import consult
from moot.contrib.essays.essay_brief import (
    OwnOutline,
    check_brief,
    own_points,
    read_brief,
)
from moot.contrib.essays.essay_writing import ESSAY_CALLS, WritingSettings, finish_essay
from moot.contrib.essays.point_evidence import PointPassages, search_by_points
from moot.contrib.essays.quotation_mending import Strict
from moot.contrib.essays.sources import Evidence, Passages, SearchBy
from moot.contrib.essays.team import Points, Stance
from moot.contrib.essays.unshown_passages import list_unfound


@protocol(
    paper="Debate-to-Write, section 3.2 and appendix A.2 (chain-of-thought planning)",
    calls="1 + alternatives + (1 if revise else 0) + strict + (0 if revise else 1 if words else 0)",
    fewest="1 + alternatives + (1 if revise else 0)",
    stages={"plan": ("1", "1"), "essay": ESSAY_CALLS},
    roles=("writer",),
    shared=WritingSettings,
    verify=check_brief,
    group="essays",
)
async def essay_plan(
    debate: Debate,
    question: Question,
    *,
    stance: Stance = "oppose",
    points: Points = 4,
    outline: OwnOutline = "",
    evidence: Evidence = "",
    passages: Passages = 5,
    search_by: SearchBy = "words",
    point_passages: PointPassages = 0,
    strict: Strict = False,
) -> Verdict:
    """Let one agent plan an argued essay about a proposition, and then write it by this plan.

    Use it when you want an essay with a thought-out order for two calls, or from your own
    documents; no other view contradicts it.

    The essay is written from the words of the plan as they are, whether it can be read as one or
    not. With ``evidence`` both prompts show what is found in that folder by the proposition's
    words, to be quoted by number; with ``point_passages`` each point of the plan finds more for the
    essay. An empty reply is no essay: the verdict then has no answer. With
    ``strict`` the writer is asked once to mend quotations and figures that do not stand there; what
    remains is struck through.

    Differs:
        - Prompt: the paper does not give it. What a plan is, and how the essay is written by it, is
          said here as in ``debate-to-write``, so that the two differ in what the plan comes from.
        - Acknowledgment: the plan may have one; the paper leaves open whether this baseline's may.
    """
    brief = read_brief(debate)
    [writer] = debate.seat(
        "writer", remembers=False, debater=False, stance=stance, brief=brief.writer
    )
    planned = partial(list_unfound, debate.get_given("plan") or "")
    found = await consult(debate, question.text, *own_points(outline), further=planned)
    told: dict[str, Any] = {
        "stance": stance,
        "outline": outline,
        "length": brief.length,
        "passages": found.fenced,
    }
    plan = await debate.ask(writer, "plan", given=debate.get_given("plan"), points=points, **told)
    debate.end_stage("plan")
    found = await search_by_points(debate, plan.turn, [], found, point_passages)
    told |= {"passages": found.fenced}
    return await finish_essay(debate, writer, question, found, plan=plan, **told)
