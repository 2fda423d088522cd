"""The analyses of how essays came about: the teams of personas, and their discussions.

Source: "Debate-to-Write", section 4.3 and figures 2 and 3.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot import (
    Axis,
    Chart,
    Column,
    NothingToAnalyse,
    Plot,
    RecordedRuns,
    Report,
    ResultTable,
    TableRow,
    Transcript,
    analysis,
)
from moot.contrib.essays.essay_parts import SIDES, STANDS, describe_stand, name_agent, name_speaker
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.essay_turns import reading_of, team_in, turns_of
from moot.contrib.essays.standing import SpeakerStanding, without_standing
from moot.contrib.essays.team import claim_beside, label
from moot.contrib.essays.written import describe_essay
from moot.extend.analyses import Cluster, make_columns, mean_within_bounds
from moot.extend.records import DebateRow
from moot.extend.words import format_count, format_things, on_one_line

ENDS = (
    "Rounds: the mean of a debate that came to an essay. At the cap: ended by the most rounds that "
    "its setting allows, before every member was satisfied and the critic persuaded. 95 % "
    "intervals over propositions."
)
NO_RELATIONS = (
    "Who opposes or supports whom is not drawn: no parser reads that from a contribution, and in "
    "the paper people drew it. The stand is what each speaker said of itself."
)
Proposition = Annotated[str, Meta(description="the id of a proposition; the first if empty")]
Replicates = Annotated[int, Meta(ge=1, description="the most essays of each arm")]
Letters = Annotated[int, Meta(ge=20, description="the most characters shown of a turn")]


@analysis(
    source="Debate-to-Write, figure 3", group="essays", place=62, protocols=("debate-to-write",)
)
def personas(runs: RecordedRuns, *, proposition: Proposition = "", teams: Replicates = 3) -> Report:
    """Show the teams of personas that were chosen for the same proposition, time after time."""
    debates = list(_select(runs, proposition))
    rows = [
        TableRow(
            [
                label(place),
                *(on_one_line(text, 400) for text in (who.description, claim_beside(who))),
            ],
            band=f"{debate.arm}: team {debate.replicate + 1}",
        )
        for debate in debates
        if debate.replicate < teams
        for place, who in enumerate(team_in(debate.transcript))
    ]
    return _report(
        runs, "Teams of personas", ("agent", "persona", "claim"), rows, _name_topic(debates)
    )


@analysis(
    source="Debate-to-Write, section 2.2 and figure 2",
    group="essays",
    needs=("essay-words",),
    place=63,
    draws=True,
)
def discussion(
    runs: RecordedRuns, *, proposition: Proposition = "", letters: Letters = 200
) -> Report:
    """Show the discussion of a team with its critic, and where each speaker stands after each turn.

    A further table tells of all discussions how long they took, and how many ended because of the
    most rounds instead of by agreement.

    The paper's arrows, which tell who opposes what, were drawn by people; here each turn has what
    its speaker said of itself: not yet satisfied, satisfied, not yet persuaded, persuaded.
    """
    discussed = ((debate, _tell_turns(debate)) for debate in _select(runs, proposition))
    shown, turns = next((each for each in discussed if each[1]), (None, []))
    rows = [
        TableRow(
            [each.speaker, on_one_line(each.text, letters), each.stand],
            band=f"{each.arm}: round {each.round}",
        )
        for each in turns
    ]
    topic = _name_topic([shown] if shown else [])
    report = _report(
        runs, "Discussion", ("speaker", "says", "stand"), rows, f"{topic} {NO_RELATIONS}"
    )
    ends, findings = _tabulate_ends(runs)
    return report._replace(
        tables=[*report.tables, ends], findings=findings, charts=(_draw_turns(turns),)
    )


class DiscussionTurn(NamedTuple):
    """One turn of a discussion, in words; ``speaker`` has the persona, ``name`` has not."""

    arm: str
    round: int
    name: str
    speaker: str
    text: str
    stand: str


def _tell_turns(debate: DebateRow) -> list[DiscussionTurn]:
    """Return the turns of the discussion of a debate; none where it has no discussion."""
    return [
        DiscussionTurn(
            arm=debate.arm,
            round=each.round,
            name=name_agent(each.role, each.agent),
            speaker=name_speaker(each),
            text=without_standing(each.text),
            stand=describe_stand(each),
        )
        for each in describe_essay(debate.transcript).dialogue
        if each.step in STANDS
    ]


def _draw_turns(turns: Sequence[DiscussionTurn]) -> Chart:
    """Return the picture of a discussion: who speaks when, and where they stand."""
    rows: list[dict[str, str | float | bool | None]] = [
        {"turn": number, "speaker": each.name, "stand": each.stand, "round": each.round}
        for number, each in enumerate(turns, 1)
    ]
    return Chart(
        "discussion",
        f"Who speaks, and where they stand: {turns[0].arm}",
        "Each mark is a turn. Its colour is what the speaker says of itself: a member whether it "
        "is satisfied with the plan, the critic whether it is persuaded. After Debate-to-Write, "
        "figure 2, whose arrows were drawn by people.",
        rows,
        Plot(
            "dots",
            Axis("turn", "turn"),
            Axis("speaker", "", "text"),
            colour="stand",
            whiskers=False,
            tooltip=(Axis("round"),),
        ),
    )


def _tabulate_ends(runs: RecordedRuns) -> tuple[ResultTable, tuple[str, ...]]:
    """Return how long the discussions of each arm took, and a sentence for each arm."""
    rounds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    capped: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    caps: dict[str, float] = {}
    for debate in runs.debates():
        if last := _end_of(debate.transcript):
            place = f"{debate.dataset}/{debate.question}"
            caps[debate.arm] = float(EssaySettings.of(debate.transcript).rounds)
            rounds[debate.arm][place].append(last.round)
            capped[debate.arm][place].append(float(not last.settled))
    rows, findings = [], []
    for arm, cap in caps.items():
        lengths, ends = (
            [Cluster(sum(own), len(own)) for own in of[arm].values()] for of in (rounds, capped)
        )
        many, met = sum(size for _, size in ends), int(sum(total for total, _ in ends))
        means = mean_within_bounds(lengths, (1.0, cap)), mean_within_bounds(ends)
        rows.append(TableRow([on_one_line(arm), *means, met, int(cap), many]))
        findings.append(
            f"{on_one_line(arm)}: {format_count(met)} of {format_things(many, 'discussion')} came "
            f"to the cap of {format_things(int(cap), 'round')} before all agreed."
        )
    columns = (
        Column("arm"),
        Column("rounds", "number", 1),
        Column("at the cap %", "percent"),
        *make_columns("count", "at the cap", "cap", "debates"),
    )
    return ResultTable("How long teams discuss", columns, rows, ENDS), tuple(findings)


class DiscussionEnd(NamedTuple):
    """The last round of a discussion, and whether all were satisfied and persuaded in it."""

    round: int
    settled: bool


def _end_of(transcript: Transcript) -> DiscussionEnd | None:
    """Return how the discussion of an essay that was written ended; None where there is none."""
    turns = turns_of(transcript, *STANDS)
    if not turns or transcript.verdict is None:
        return None
    last = max(turn.round for turn in turns)
    stands = [
        reading_of(turn, transcript.question, SpeakerStanding)
        for turn in turns
        if turn.round == last
    ]
    return DiscussionEnd(last, all(stand is not None and stand.settled for stand in stands))


def _select(runs: RecordedRuns, proposition: str) -> Iterator[DebateRow]:
    """Yield the debates on a proposition, or on the first that has any."""
    for debate in runs.debates():
        question = debate.transcript.question
        if question.kind == "text" and not question.secret:
            proposition = proposition or debate.question
            if debate.question == proposition:
                yield debate


def _name_topic(debates: Sequence[DebateRow]) -> str:
    """Return the proposition that debates are about, with its id and the side of their essays."""
    for debate in debates:
        words = on_one_line(debate.transcript.question.text, 300).removesuffix(".")
        asked = EssaySettings.of(debate.transcript).stance
        side = f"; the essay argues {SIDES.get(asked, 'in its favour')}" if asked else ""
        return f"Proposition {on_one_line(debate.question)}: {words}{side}."
    return ""


def _report(
    runs: RecordedRuns, title: str, columns: tuple[str, ...], rows: list[TableRow], note: str
) -> Report:
    """Return the report of one table of texts. Raises ``NothingToAnalyse`` for no rows."""
    if not rows:
        raise NothingToAnalyse(
            f"run {runs.key}: no debate on that proposition has a team that discusses, as those of "
            "debate-to-write have"
        )
    table = ResultTable(title, make_columns("text", *columns), rows, note)
    return Report(title=f"{title}: {runs.name}", about=runs.key, tables=[table])
