"""Pages that compare: runs, two methods on the same questions, and two debates of one question."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot import Column, ResultTable, TableRow, Transcript
from moot.contrib.server.pages.archive import RunArchive, archive_of
from moot.contrib.server.pages.board import Board, BoardMessage
from moot.contrib.server.pages.index import KINDS, DebateFilter, match_name
from moot.contrib.server.pages.listing import list_page
from moot.contrib.server.pages.marks import AnswerMarks
from moot.contrib.server.pages.matrix import view_matrix
from moot.contrib.server.pages.page_rendering import (
    NoPage,
    debate_url,
    make_url,
    parse_number,
    render,
)
from moot.contrib.server.pages.survey import RunSurvey
from moot.extend.protocols import is_correct
from moot.extend.records import RunRow, decode_study, decode_transcript
from moot.extend.stores import StoreReader
from moot.extend.studies import QuestionPlan
from moot.extend.words import format_things, on_one_line

BESIDE = 12
"""The most runs that are set side by side."""
RUNS = 200
"""The most runs in the list to choose from."""
COMPARISON = "compare"
"""The analysis whose report the page shows."""
MESSAGES = 120
"""The most messages of a debate that are shown beside another."""


class Sides(NamedTuple):
    """The two arms that an address names."""

    runs: tuple[RunRow, RunRow]
    arms: tuple[str, str]

    def url(self, path: str = "/compare", **more: object) -> str:
        """Return the address of their comparison."""
        one, two = (row.key for row in self.runs)
        given = {"a": one, "arm_a": self.arms[0], "b": two * (two != one), "arm_b": self.arms[1]}
        return make_url(path, **given, **more)

    def debate(self, side: int, dataset: str, question: str, replicate: int) -> str:
        """Return the address of the debate of one of them."""
        return debate_url(self.runs[side].key, self.arms[side], dataset, question, replicate)


async def _rows(known: RunArchive, query: Mapping[str, str], first: str) -> tuple[RunRow, RunRow]:
    """Return the two runs of an address. Raises ``NoPage`` if there is none of such a key."""
    a = query.get("a") or first
    b = query.get("b") or a
    if "list" in query and b == query.get("was"):  # the second run was the first one's
        b = a
    return await known.get_row(a), await known.get_row(b)


async def page(request: Request) -> Response:
    """Show runs side by side, or two methods on the same questions."""
    known, query = archive_of(request), dict(request.query_params)
    runs = await known.read(
        StoreReader.list_runs, QuestionPlan.STUDY, other=True, before=None, most=RUNS
    )
    if not runs:
        return render("compare.html", runs=[], chosen=None, arms=((), ()), why="")
    keys = [key for key in dict.fromkeys(request.query_params.getlist("run")) if key][:BESIDE]
    first, second = [*keys, *keys[1:2], *keys[:1], runs[0].row.key, runs[0].row.key][:2]
    if keys:
        query = {"a": first, "b": second} | query
    rows = await _rows(known, query, first)
    if "list" in query:  # then the arms are those of other runs
        query = {name: value for name, value in query.items() if not name.startswith("arm_")}
    chosen, why = _choose(query, rows)
    values: dict[str, Any] = {
        "runs": [each.row for each in runs],
        "chosen": chosen,
        "arms": tuple([arm.name for arm in decode_study(row).arms] for row in chosen.runs),
    }
    if why or "arm_a" not in query or "arm_b" not in query:
        every = [await known.get_row(key) for key in keys] or rows
        return await _show_runs(request, [*{row.id: row for row in every}.values()], why, values)
    pair = {"pair": ["=".join(chosen.arms)], "limit": "0"}
    report = await known.get_report(COMPARISON, list({row.id: row for row in rows}.values()), pair)
    one, two = [(await known.need_run(row)).index for row in rows]
    datasets = [name for name in one.datasets if name in two.datasets]
    dataset = query["dataset"] if query.get("dataset") in datasets else datasets[0]
    others = two.outcomes(chosen.arms[1], dataset)
    kinds = one.pair(chosen.arms[0], dataset, others)
    show = query["show"] if query.get("show") in KINDS else "differ"
    listed = await known.read(
        list_page, one, DebateFilter(), query.get("after", ""), places=kinds[show]
    )
    return render(
        "compared.html",
        report=report,
        others=others,
        dataset=dataset,
        datasets=datasets,
        kinds=KINDS,
        counts={kind: len(places) for kind, places in kinds.items()},
        show=show,
        listed=listed,
        **values,
    )


async def _show_runs(
    request: Request, rows: Sequence[RunRow], why: str, values: Mapping[str, Any]
) -> Response:
    """Show the methods of runs and the matrix of their debates."""
    known = archive_of(request)
    surveys = {row.key: await known.need_run(row) for row in rows}
    view = None
    if any(len(each.index) for each in surveys.values()):
        view = await view_matrix(request, known, rows)
    shared = sum(all(row.numbers) for row in view.matrix.rows) if view else 0
    table = tabulate_runs(rows, surveys, shared) if view else None
    return render("compare.html", why=why, rows=rows, table=table, view=view, **values)


def tabulate_runs(
    rows: Sequence[RunRow], surveys: Mapping[str, RunSurvey], shared: int
) -> ResultTable:
    """Make the table of the accuracies of runs: a row for each method, a column for each run.

    Args:
        rows: the runs.
        surveys: their results, by their keys.
        shared: the number of questions that all of them have.
    """
    results = [surveys[row.key].results for row in rows]
    found = {(arm.dataset, arm.arm): arm for each in results for arm in each.arms}
    own = [{(arm.dataset, arm.arm): arm.accuracy for arm in each.arms} for each in results]
    names = [row.name for row in rows]
    datasets = list(dict.fromkeys(dataset for dataset, _ in found))
    several = len(datasets) > 1
    heads = [row.name if names.count(row.name) == 1 else row.key for row in rows]
    said = [f"All of these runs have {format_things(shared, 'question')}."] * (len(rows) > 1)
    if unlike := _list_unlike(rows):
        listed = ", ".join(on_one_line(name, 60) for name in unlike)
        said.append(f"Methods of other settings in another run: {listed}.")
    return ResultTable(
        "Accuracy of each method in each run, in percent",
        (Column("Method"), *(Column(on_one_line(name, 60), "percent") for name in heads)),
        [
            TableRow(
                [on_one_line(key[1], 160), *(each.get(key) for each in own)],
                band=on_one_line(key[0], 80) * several,
            )
            for key in sorted(found, key=lambda key: datasets.index(key[0]))
        ],
        " ".join(said),
        leads=True,
    )


def _list_unlike(rows: Sequence[RunRow]) -> list[str]:
    """Return the methods of one name that have other settings in another of these runs."""
    meant: dict[str, set[bytes]] = {}
    for row in rows:
        for arm in decode_study(row).arms:
            factors = msgspec.json.encode((arm.protocol, arm.factors), order="deterministic")
            meant.setdefault(arm.name, set()).add(factors)
    return [name for name, each in meant.items() if len(each) > 1]


def _choose(query: Mapping[str, str], rows: tuple[RunRow, RunRow]) -> tuple[Sides, str]:
    """Return the arms that the address names, or likely ones, and what is wrong with them."""
    studies = [decode_study(row) for row in rows]
    ones, twos = ([arm.name for arm in study.arms] for study in studies)
    given = match_name(ones, query.get("arm_a", "")), match_name(twos, query.get("arm_b", ""))
    first = given[0] if given[0] in ones else studies[0].baseline or ones[0]
    same = rows[0].id == rows[1].id
    likely = [name for name in twos if name != first] if same else [*({first} & {*twos}), *twos]
    second = given[1] if given[1] in twos else (likely or twos)[0]
    chosen = Sides(rows, (first, second))
    wrong = [
        f"{row.name} has no method {name!r}."
        for row, name, own in zip(rows, given, (ones, twos), strict=True)
        if name and name not in own
    ]
    if not wrong and same and first == second and "arm_a" in query:
        wrong = ["These are the same debates: choose two methods."]
    return chosen, " ".join(wrong)


class SideBySide(NamedTuple):
    """Two debates of one question.

    Attributes:
        same: whether the second was asked the same as the first.
        outcomes: how each ended, as one of ``OUTCOMES`` of the index.
        boards: both debates; an answer has one colour in both.
        rounds: the name of each round, and the messages of the first and of the second debate.
    """

    same: bool
    outcomes: tuple[str, str]
    boards: tuple[Board, Board]
    rounds: list[tuple[str, list[BoardMessage], list[BoardMessage]]]


def _find_outcome(transcript: Transcript) -> str:
    """Return the outcome of a debate: right, wrong, unparsed, failed; open without a key."""
    verdict, question = transcript.verdict, transcript.question
    if verdict is None:
        return "failed"
    if verdict.answer is None:
        return "unparsed"
    if question.answer is None:
        return "open"
    return "right" if is_correct(verdict.answer, question) else "wrong"


def lay_out(one: Transcript, two: Transcript) -> SideBySide:
    """Arrange the messages of two debates by their rounds."""
    marks = AnswerMarks(one.question)
    boards = Board(one.events, marks=marks), Board(two.events, marks=marks)
    rounds: dict[tuple[str, int], tuple[list[BoardMessage], list[BoardMessage]]] = {}
    for side, board in enumerate(boards):
        for turn in board.transcript.turns[:MESSAGES]:
            both = rounds.setdefault((turn.node, turn.round), ([], []))
            both[side].append(board.show(turn))
    return SideBySide(
        (one.question.text, one.question.choices) == (two.question.text, two.question.choices),
        (_find_outcome(one), _find_outcome(two)),
        boards,
        [
            (f"{node}, round {number}" if node else f"Round {number}", *both)
            for (node, number), both in rounds.items()
        ],
    )


async def debates(request: Request) -> Response:
    """Show two debates of one question."""
    known, query = archive_of(request), request.query_params
    rows = await _rows(known, query, "")
    chosen = Sides(rows, (query.get("arm_a", ""), query.get("arm_b", "")))
    place = (
        query.get("dataset", ""),
        query.get("question", ""),
        parse_number(query.get("replicate")),
    )
    found = [
        await known.read(StoreReader.transcript, row.id, (arm, *place))
        for row, arm in zip(*chosen, strict=True)
    ]
    if found[0] is None or found[1] is None:
        raise NoPage("There is no such debate.", "Both methods need one on this question.")
    one, two = (decode_transcript(each, "the transcript of a debate") for each in found if each)
    return render(
        "sides.html",
        chosen=chosen,
        place=place,
        simulated=[arm in decode_study(row).simulated for row, arm in zip(*chosen, strict=True)],
        both=await asyncio.to_thread(lay_out, one, two),
        most=MESSAGES,
    )


ROUTES = [
    Route("/compare", page, methods=["GET"]),
    Route("/compare/debates", debates, methods=["GET"]),
]
