"""The analyses of how essays came about: the teams of personas, and a discussion.

Source: "Debate-to-Write", section 4.3 and figures 2 and 3.
"""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from moot import NothingToAnalyse, RecordedRuns, Report, ResultTable, TableRow, analysis
from moot.core.display_text import on_one_line
from moot.core.stored import DebateRow
from moot.core.table import make_columns
from moot.essays.essay_parts import STANDS, describe_stand, name_speaker
from moot.essays.essay_turns import team_in
from moot.essays.team import claim_beside, label
from moot.essays.written import describe_essay

Proposition = Annotated[str, Meta(description="the id of a proposition; the first if empty")]
Replicates = Annotated[int, Meta(ge=1, description="the most essays of each arm")]
Letters = Annotated[int, Meta(ge=20, description="the most characters shown of a turn")]


@analysis(source="Debate-to-Write, figure 3", place=62)
def personas(runs: RecordedRuns, *, proposition: Proposition = "", teams: Replicates = 3) -> Report:
    """Show the teams of personas that were chosen for the same proposition, time after time."""
    rows = [
        TableRow(
            [
                label(place),
                *(on_one_line(text, 400) for text in (who.description, claim_beside(who))),
            ],
            band=f"{debate.arm}: team {debate.replicate + 1}",
        )
        for debate in _select(runs, proposition)
        if debate.replicate < teams
        for place, who in enumerate(team_in(debate.transcript))
    ]
    return _report(runs, "Teams of personas", ("agent", "persona", "claim"), rows)


@analysis(source="Debate-to-Write, figure 2", place=63)
def discussion(
    runs: RecordedRuns, *, proposition: Proposition = "", letters: Letters = 200
) -> Report:
    """Show the discussion of a team with its critic, and where each speaker stands after each turn.

    The paper's arrows, which tell who opposes what, were drawn by people; here each turn has what
    its speaker said of itself: not yet satisfied, satisfied, not yet persuaded, persuaded.
    """
    discussions = (
        [
            TableRow(
                [name_speaker(each), on_one_line(each.text, letters), describe_stand(each)],
                band=f"{debate.arm}: round {each.round}",
            )
            for each in describe_essay(debate.transcript).dialogue
            if each.step in STANDS
        ]
        for debate in _select(runs, proposition)
    )
    rows = next(filter(None, discussions), [])
    return _report(runs, "Discussion", ("speaker", "says", "stand"), rows)


def _select(runs: RecordedRuns, proposition: str) -> Iterator[DebateRow]:
    """Yield the debates on a proposition, or on the first that has any."""
    for debate in runs.debates():
        question = debate.transcript.question
        if question.kind == "text" and not question.secret:
            proposition = proposition or debate.question
            if debate.question == proposition:
                yield debate


def _report(
    runs: RecordedRuns, title: str, columns: tuple[str, ...], rows: list[TableRow]
) -> Report:
    """Return the report of one table of texts. Raises ``NothingToAnalyse`` for no rows."""
    if not rows:
        raise NothingToAnalyse(
            f"run {runs.key}: no debate on that proposition has a team that discusses, as those of "
            "debate-to-write have"
        )
    table = ResultTable(title, make_columns("text", *columns), rows)
    return Report(title=f"{title}: {runs.name}", about=runs.key, tables=[table])
