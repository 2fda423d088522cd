"""Evidence debate: agents choose from a pool of passages before they answer (MADKE)."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from moot import (
    Agent,
    Debate,
    Ending,
    Question,
    Verdict,
    View,
    Views,
    all_agree,
    protocol,
    verdict_from,
)
from moot.contrib.documents.brackets import PassageChoice, Sameness
from moot.contrib.documents.evidence import consult
from moot.contrib.documents.settings import SEARCH_BY, Documents, SearchBy
from moot.contrib.documents.shown_evidence import fence_passages
from moot.extend.protocols import Rounds
from moot.extend.records import Passage

CHOSEN = 3
"""The most passages that an agent chooses."""

SeveralAgents = Annotated[
    int, Meta(ge=2, le=1000, title="Agents", description="how many agents take part")
]
PoolSize = Annotated[int, Meta(ge=0, le=100, description="the most passages in the pool")]
Chooses = Annotated[
    bool, Meta(description="whether agents choose up to 3 passages; else they read all")
]
AsksJudge = Annotated[
    bool, Meta(description="whether a judge says if all answers are the same; else they compare")
]


@protocol(
    paper="arXiv:2312.04854 (MADKE) and its code",
    calls="rounds * (agents * (1 + chooses) + asks_judge) + 1",
    fewest="agents + asks_judge + 1",
    answers="rounds * agents",
    roles=("member", "judge", "summariser"),
    opened=("member",),
    closing="summarise",
    verify=lambda settings, _, *, chooses, evidence, passages: (
        settings | {"chooses": bool(chooses and evidence and passages)}
    ),
    group="sources",
)
async def evidence_debate(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 2,
    rounds: Rounds = 3,
    evidence: Documents = "",
    passages: PoolSize = 10,
    search_by: SearchBy = SEARCH_BY,
    chooses: Chooses = True,
    asks_judge: AsksJudge = True,
) -> Verdict:
    """Let agents choose passages from a pool, answer from these, and revise until all agree.

    Use it when many passages are found and few of them help: agents argue from what each chooses;
    one agent that reads all passages is cheaper.

    The pool is found once, by the question's words. In each round every agent first chooses up to 3
    numbers of it, then answers from these; from the second round on it is shown its own last answer
    and the others'. A judge says whether all answers are the same. If so, and after the last round,
    a summariser gives the final answer. Agents have no memory. Where the pool is empty agents
    answer from what they know, and choose nothing.

    Differs:
        - Pool: the code fetches 5 passages from each of two sources; here they are of a folder.
        - A number that is not in the pool is ignored, and so are those after the third; the turn's
          reading has all that were named. A choice that cannot be read is none.
        - A judge's reply that cannot be read is a no. Without a judge answers are compared by kind.
    """
    pool = await consult(debate, question.text) if passages else ()
    members = debate.seat("member", agents, remembers=False)
    judge, summariser = (
        debate.seat(role, remembers=False, debater=False)[0] for role in ("judge", "summariser")
    )
    views = Views()
    for number in range(1, rounds + 1):
        own = await _choose(debate, members, pool, views, number)
        shown: dict[str, Any] = {"passages": own.__getitem__} if pool else {}
        if views:
            before = views
            shown = {"passages": own.__getitem__, "mine": before.of, "others": before.without}
        step = "revise-from" if views else "answer-from" if pool else "answer"
        views = await debate.everyone(members, step, in_round=number, **shown)
        if await _agree(debate, judge if asks_judge else None, views, number):
            break
    final = await debate.ask(summariser, "summarise", in_round=number, answers=views)
    return verdict_from(final, by="summariser")


async def _choose(
    debate: Debate, members: Sequence[Agent], pool: Sequence[Passage], views: Views, number: int
) -> dict[Agent, str]:
    """Return the passages that each member reads, as prompts show them."""
    if not (pool and debate.context.settings["chooses"]):
        return dict.fromkeys(members, fence_passages(pool))
    said = await debate.everyone(
        members,
        "choose",
        in_round=number,
        votes=False,
        passages=fence_passages(pool),
        most=CHOSEN,
        example=", ".join(str(each.number) for each in pool[:2]),
        mine=lambda member: views.of(member) if views else None,
    )
    return {view.agent: fence_passages(_find_chosen(view, pool)) for view in said}


def _find_chosen(view: View, pool: Sequence[Passage]) -> list[Passage]:
    """Return the passages of the pool that a reply names, at most three."""
    choice = view.get(PassageChoice)
    known = {each.number: each for each in pool}
    return [known[number] for number in (choice.numbers if choice else ()) if number in known][
        :CHOSEN
    ]


async def _agree(debate: Debate, judge: Agent | None, views: Views, number: int) -> bool:
    """Return whether all answers are the same, and record it."""
    if judge is None:
        same = all_agree(views, debate.question)
    else:
        said = await debate.ask(judge, "compare", in_round=number, votes=False, answers=views)
        ruling = said.get(Sameness)
        same = bool(ruling and ruling.same)
    why = "all answers are the same" if same else "answers differ"
    return debate.ends(lambda *_: Ending(why=why, ends=same), views)
