"""The analyses of how essays came about: the teams of personas, and their discussions.

Source: "Debate-to-Write", section 4.3 and figures 2 and 3.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot import (
    Chart,
    Column,
    NothingToAnalyse,
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
from moot.contrib.essays.moves import Move, MoveKind, read_moves
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
RELATIONS = (
    "Who supports, opposes or carries on whom is read from clauses that name a speaker and say so "
    "(“I agree with Agent B”); in the paper people drew it. Other relations are not known. The "
    "stand is what each speaker said of itself."
)
MOVES: dict[MoveKind, tuple[str, list[int]]] = {
    "supports": ("#1b7f5c", [1, 0]),
    "opposes": ("#b4401a", [6, 3]),
    "extends": ("#2f6fb5", [2, 2]),
}
"""The colour and the dashes of the line of each move."""
ROW_HEIGHT = 44
"""Pixels of the row of a speaker."""
CURVE = 0.22
"""Rows of speakers by which a line bends for each turn that it passes: else some would coincide."""
Proposition = Annotated[str, Meta(description="the id of a proposition; the first if empty")]
Replicates = Annotated[int, Meta(ge=1, description="the most essays of each method")]
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
                _tell_moves(_moves_of(debate, label(place))),
            ],
            band=f"{debate.arm}: team {debate.replicate + 1}",
        )
        for debate in debates
        if debate.replicate < teams
        for place, who in enumerate(team_in(debate.transcript))
    ]
    note = f"{_name_topic(debates)} {RELATIONS.partition(' The stand')[0]}"
    columns = "agent", "persona", "claim", "in the discussion"
    return _report(runs, "Teams of personas", columns, rows, note)


def _moves_of(debate: DebateRow, name: str) -> list[Move]:
    """Return the moves of a speaker in all its contributions."""
    return [move for each in _tell_turns(debate) if each.name == name for move in each.moves]


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

    The paper's arrows, which tell who opposes what, were drawn by people; here they are read from
    clauses that name a speaker and say so. Each turn has what its speaker said of itself: not yet
    satisfied, satisfied, not yet persuaded, persuaded.
    """
    discussed = ((debate, _tell_turns(debate)) for debate in _select(runs, proposition))
    shown, turns = next((each for each in discussed if each[1]), (None, []))
    rows = [
        TableRow(
            [
                each.speaker,
                on_one_line(each.text, letters),
                _tell_moves(each.moves),
                each.stand,
            ],
            band=f"{each.arm}: round {each.round}",
        )
        for each in turns
    ]
    topic = _name_topic([shown] if shown else [])
    report = _report(
        runs, "Discussion", ("speaker", "says", "answers", "stand"), rows, f"{topic} {RELATIONS}"
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
    moves: tuple[Move, ...]


def _tell_moves(moves: Iterable[Move]) -> str:
    """Return moves in words; how often, where more than once."""
    often = Counter(f"{each.kind} {each.target}" for each in moves)
    return "; ".join(f"{said} ×{many}" if many > 1 else said for said, many in often.items())


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
            moves=read_moves(each.text, name_agent(each.role, each.agent)),
        )
        for each in describe_essay(debate.transcript).dialogue
        if each.step in STANDS
    ]


def _draw_turns(turns: Sequence[DiscussionTurn]) -> Chart:
    """Return the picture of a discussion: who speaks when, where they stand, whom they answer."""
    names = list(dict.fromkeys(each.name for each in turns))
    rows: list[dict[str, str | float | bool | None]] = [
        {
            "turn": number,
            "speaker": each.name,
            "place": names.index(each.name),
            "stand": each.stand,
            "round": each.round,
        }
        for number, each in enumerate(turns, 1)
    ]
    moves = list(_list_relations(turns, names))
    lines = (
        "A line leads back to the newest turn of the speaker that is answered, where a clause "
        "names this speaker and says so. "
        if moves
        else "No contribution names a speaker and says that it supports, opposes or extends what "
        "was said, so that no relation is drawn. "
    )
    return Chart(
        "discussion",
        f"Who speaks, and where they stand: {turns[0].arm}",
        "Each mark is a turn. Its shape is what the speaker says of itself: a member whether it "
        f"is satisfied with the plan, the critic whether it is persuaded. {lines}After "
        "Debate-to-Write, figure 2, whose arrows were drawn by people.",
        [*moves, *rows],
        _define(names, list(dict.fromkeys(each.stand for each in turns)), moves, len(turns)),
    )


def _list_relations(
    turns: Sequence[DiscussionTurn], names: Sequence[str]
) -> Iterator[dict[str, str | float | bool | None]]:
    """Yield the three points of a curve for each move, from its turn back to whom it answers."""
    newest: dict[str, tuple[int, int]] = {}
    for number, each in enumerate(turns, 1):
        place = names.index(each.name)
        for move in each.moves:
            if (to := newest.get(move.target.casefold())) is None:
                continue
            bend = CURVE * (number - to[0] - 1) + CURVE / 2
            middle = (number + to[0]) / 2, (place + to[1]) / 2 - bend
            for point, (turn, height) in enumerate(((number, place), middle, to)):
                yield {
                    "turn": turn,
                    "place": height,
                    "point": point,
                    "line": f"{number} {move.kind} {move.target}",
                    "move": move.kind,
                    "speaker": each.name,
                    "answered": move.target,
                }
        newest[each.name.casefold()] = number, place


def _define(
    names: Sequence[str], stands: Sequence[str], moves: Sequence[Mapping[str, Any]], turns: int
) -> dict[str, Any]:
    """Return the Vega-Lite definition of turns in the rows of their speakers, with their moves."""
    labels = msgspec.json.encode(list(names)).decode()
    place = {
        "field": "place",
        "type": "quantitative",
        "scale": {"domain": [-0.5, len(names) - 0.5], "reverse": True, "nice": False},
        "axis": {
            "title": None,
            "values": list(range(len(names))),
            "labelExpr": f"{labels}[datum.value]",
            "grid": False,
        },
    }
    turn = {
        "field": "turn",
        "type": "quantitative",
        "axis": {"title": "turn", "tickMinStep": 1, "format": "d", "grid": False},
        "scale": {"domain": [0.5, turns + 0.5], "nice": False},
    }
    layers = [*([_draw_moves(moves)] if moves else []), _draw_marks(stands)]
    return {
        "height": ROW_HEIGHT * len(names),
        "data": {"name": "rows"},
        "encoding": {"x": turn, "y": place},
        "layer": layers,
    }


def _draw_moves(moves: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the layer of curves: one for each move, from its turn to the turn it answers."""
    kinds = [kind for kind in MOVES if any(each["move"] == kind for each in moves)]
    return {
        "mark": {
            "type": "line",
            "interpolate": "basis",
            "strokeWidth": {"expr": "1.8 * unit"},
            "opacity": 0.85,
        },
        "transform": [{"filter": "isValid(datum.line)"}],
        "encoding": {
            "detail": {"field": "line"},
            "order": {"field": "point"},
            "color": _tell("move", kinds, [MOVES[kind][0] for kind in kinds]),
            "strokeDash": _tell("move", kinds, [MOVES[kind][1] for kind in kinds]),
            "tooltip": [{"field": each} for each in ("speaker", "move", "answered")],
        },
    }


def _draw_marks(stands: Sequence[str]) -> dict[str, Any]:
    """Return the layer of marks: one for each turn, whose shape says where its speaker stands."""
    shapes = ["circle", "diamond", "square", "triangle-up", "cross", "triangle-down"]
    return {
        "mark": {
            "type": "point",
            "filled": True,
            "opacity": 1,
            "color": "#222222",  # the ink of moot's charts, which dark pages turn light
            "size": {"expr": "110 * unit * unit"},
        },
        "transform": [{"filter": "isValid(datum.stand)"}],
        "encoding": {
            "shape": _tell("stand", stands, shapes[: len(stands)]),
            "tooltip": [{"field": each} for each in ("speaker", "stand", "round")],
        },
    }


def _tell(field: str, domain: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return the encoding of a field of names, with its legend."""
    scale = {"domain": list(domain), "range": list(values)}
    return {"field": field, "type": "nominal", "scale": scale, "legend": {"title": field}}


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
        Column("arm", head="method"),
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
