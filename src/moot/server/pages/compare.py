"""Pages that compare: two arms on the same questions, and two debates of one question."""

import asyncio
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.analyses.compare import Compared
from moot.core.plain import equals, percent, span
from moot.core.stored import RunRow
from moot.ledger.reader import Reader
from moot.reports.compare import VERDICTS
from moot.reports.summary import kind
from moot.server.pages.archive import FEW, Archive, Kept, archive
from moot.server.pages.aside import read
from moot.server.pages.index import meant
from moot.server.pages.page import debate_url, missing, render
from moot.server.pages.pairs import KINDS, Agreement, agreements, contrast, shown
from moot.server.pages.runs import number, told, working
from moot.server.pages.sides import sides
from moot.studies.run import about
from moot.studies.study import ASKED

RUNS = 200
"""The most runs that can be chosen from a list."""
MOST = 50
"""Questions on a page."""


class Sides(NamedTuple):
    """The two arms that an address names."""

    runs: tuple[RunRow, RunRow]
    arms: tuple[str, str]

    def url(self, path: str = "/compare", **more: object) -> str:
        """Where they are compared."""
        one, two = self.runs
        given = {
            "a": one.key,
            "arm_a": self.arms[0],
            "b": two.key if two.key != one.key else "",
            "arm_b": self.arms[1],
            **more,
        }
        return f"{path}?{urlencode({name: value for name, value in given.items() if value})}"

    def debates(self, dataset: str, question: str, replicate: int) -> str:
        """Where their debates of a question stand beside each other."""
        place = {"dataset": dataset, "question": question, "replicate": replicate}
        return self.url("/compare/debates", **place)

    def debate(self, side: int, dataset: str, question: str, replicate: int) -> str:
        """Where the debate of one of them is shown."""
        return debate_url(self.runs[side].key, self.arms[side], dataset, question, replicate)


@told
async def page(request: Request) -> Response:
    """Two arms on the same questions."""
    known, query = archive(request), request.query_params
    runs = await read(known.file, Reader.runs, ASKED, other=True, before=None, most=RUNS)
    if not runs:
        return render("compare.html", runs=[], chosen=None, arms=((), ()), why="")
    a = query.get("a") or runs[0].row.key
    rows = await known.run(a), await known.run(query.get("b") or a)
    if rows[0] is None or rows[1] is None:
        return missing("There is no such run.", "Choose others at /compare.")
    chosen, why = _chosen(request, (rows[0], rows[1]))
    values: dict[str, Any] = {
        "runs": [each.row for each in runs],
        "chosen": chosen,
        "arms": tuple([arm.name for arm in about(row).arms] for row in chosen.runs),
    }
    if why or "arm_a" not in query or "arm_b" not in query:
        return render("compare.html", why=why, **values)
    found = await _agreements(known, chosen)
    if found is None:
        return working("Two arms on the same questions")
    datasets = [each.dataset for each in found]
    agreement = found[datasets.index(query["dataset"]) if query.get("dataset") in datasets else 0]
    show = query["show"] if query.get("show") in KINDS else "differ"
    listed = await read(known.file, shown, agreement.of(show), query.get("after", ""), most=MOST)
    return render(
        "compared.html",
        why="",
        agreement=agreement,
        gap=_gap(agreement.told),
        datasets=datasets,
        kinds=KINDS,
        show=show,
        listed=listed,
        **values,
    )


def _gap(found: Compared) -> str:
    """How the two differ, in a sentence."""
    gap = found.difference
    ends = span(gap.low, gap.high, sign=True)
    points = f"{percent(gap.mean, sign=True)} points"
    return f"{points} (95\u00a0% interval {ends}), p {equals(gap.p)}: {VERDICTS[kind(gap)]}."


def _chosen(request: Request, rows: tuple[RunRow, RunRow]) -> tuple[Sides, str]:
    """The arms that the address names, or likely ones; and what is wrong with them."""
    query = request.query_params
    studies = [about(row) for row in rows]
    ones, twos = ([arm.name for arm in study.arms] for study in studies)
    given = meant(ones, query.get("arm_a", "")), meant(twos, query.get("arm_b", ""))
    first = given[0] if given[0] in ones else studies[0].baseline or ones[0]
    same = rows[0].id == rows[1].id
    likely = [name for name in twos if name != first] if same else [*({first} & {*twos}), *twos]
    second = given[1] if given[1] in twos else (likely or twos)[0]
    chosen = Sides(rows, (first, second))
    wrong = [
        f"{row.name} has no arm {name!r}."
        for row, name, own in zip(rows, given, (ones, twos), strict=True)
        if name and name not in own
    ]
    if not wrong and same and first == second and "arm_a" in query:
        wrong = ["These are the same debates: choose two arms."]
    return chosen, " ".join(wrong)


async def _agreements(known: Archive, chosen: Sides) -> list[Agreement] | None:
    """The arms on every dataset that both have; None while that is still worked out."""
    kept = [await known.kept(row) for row in chosen.runs]
    if kept[0] is None or kept[1] is None:
        return None
    both = kept[0], kept[1]
    key = (
        "agreements",
        *(each.name for each in both),
        *(row.id for row in chosen.runs),
        chosen.arms,
    )
    return await known.memo(key, lambda: _compared(known, chosen, both))


async def _compared(known: Archive, chosen: Sides, kept: tuple[Kept, Kept]) -> list[Agreement]:
    keys = chosen.runs[0].key, chosen.runs[1].key
    given = known.file.parent, keys, chosen.arms
    indexes = kept[0].survey.index, kept[1].survey.index
    if sum(map(len, indexes)) <= FEW:
        found = await asyncio.to_thread(contrast, *given)
    else:
        found = await known.apart.run(contrast, *given)
    return await asyncio.to_thread(agreements, found, indexes, chosen.arms)


@told
async def debates(request: Request) -> Response:
    """Two debates of one question."""
    known, query = archive(request), request.query_params
    a = query.get("a", "")
    rows = await known.run(a), await known.run(query.get("b") or a)
    if rows[0] is None or rows[1] is None:
        return missing("There is no such run.", "Choose others at /compare.")
    chosen = Sides((rows[0], rows[1]), (query.get("arm_a", ""), query.get("arm_b", "")))
    place = query.get("dataset", ""), query.get("question", ""), number(query.get("replicate")) or 0
    held = [
        await read(known.file, Reader.transcript, row.id, (arm, *place))
        for row, arm in zip(chosen.runs, chosen.arms, strict=True)
    ]
    if held[0] is None or held[1] is None:
        return missing("There is no such debate.", "Both arms need one on this question.")
    return render(
        "sides.html",
        chosen=chosen,
        place=place,
        simulated=[arm in about(row).simulated for row, arm in zip(*chosen, strict=True)],
        both=await asyncio.to_thread(sides, (held[0], held[1])),
    )


ROUTES = [
    Route("/compare", page, methods=["GET"]),
    Route("/compare/debates", debates, methods=["GET"]),
]
