"""Charts of whom judges favour: shares of verdicts, and what each name is worth."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.analyses.measured_arms import group_by, make_slug, note_questions, read_mean
from moot.analyses.seatings import PLACES
from moot.core.chart import Axis, Chart, DataRow, Plot

if TYPE_CHECKING:
    from moot.analyses.judge_bias import Effect, JudgeBias, Share

SHARE = Axis("share", "verdicts", "share", (0, 1))
CAPTION = (
    "The share of verdicts for each of two kinds of sides, over all seatings; whiskers are 95 % "
    "intervals over questions. What is missing to 100 % supports neither side. After Prejudice and "
    "Fidelity, figures 3 and 4."
)


def chart_sides(found: "JudgeBias") -> Iterator[Chart]:
    """Yield figure 3, figure 4, its controls, and the effects, as far as the runs show them.

    Figure 3 has the two labels over datasets and openings; figure 4 the pairs of names that were
    measured on one dataset with one opening; places and names that mean nothing stand apart.
    """
    asked = [each.first.questions for each in found.shares]
    notes = note_questions(asked, simulated=found.simulated)
    with_model = len({each.model for each in found.shares}) > 1
    single = []
    for (first, second), own in group_by(found.shares, lambda each: each.names).items():
        if len({(each.dataset, each.opening) for each in own}) < 2:
            single += own
            continue
        several = with_model or len({each.group for each in own}) > 1
        yield Chart(
            make_slug("sides", first, second),
            f"Verdicts for {first} and for {second}",
            CAPTION,
            [
                row
                | {"panel": _name_place(each, with_model=with_model) if several else each.opening}
                for each in own
                for row in _bars(each)
            ],
            Plot("bars", Axis("dataset", "", "text"), SHARE, colour="name", panel="panel"),
            notes,
        )
    kinds = group_by(single, _name_kind)
    for name, words in _KINDS.items():
        own = kinds.get(name, [])
        several = with_model or len({each.opening for each in own}) > 1
        rows = [
            row | {"panel": _name_place(each, with_model=with_model) if several else each.group}
            for each in own
            for row in _bars(each)
        ]
        if rows:
            title = f"Whom judges favour{words}"
            plot = Plot("bars", Axis("name", "", "text"), SHARE, panel="panel")
            yield Chart(name, title, CAPTION, rows, plot, notes)
    for dataset, effects in group_by(found.effects, lambda each: each.dataset).items():
        yield _draw_effects(dataset, effects, notes, with_model=with_model)


def _name_place(each: "Share | Effect", *, with_model: bool) -> str:
    """Return the group, with the opening where its name does not say it, and the model."""
    told = [each.group, each.opening] if each.opening not in each.group else [each.group]
    return ", ".join([*told, *([each.model] if with_model else [])])


_KINDS = {
    "sides": "",
    "sides-places": ": by their places",
    "sides-controls": ": names that mean nothing",
}
"""The charts of pairs that have a panel each, with the ends of their titles."""


def _name_kind(share: "Share") -> str:
    if share.control:
        return "sides-controls"
    return "sides-places" if share.names in PLACES.values() else "sides"


def _bars(share: "Share") -> Iterator[dict[str, str | float | bool | None]]:
    for name, got in zip(share.names, (share.first, share.second), strict=True):
        yield {
            "dataset": share.dataset,
            "name": name,
            **read_mean("share", got),
            "debates": share.debates,
        }


def _draw_effects(
    dataset: str, effects: "Sequence[Effect]", notes: tuple[str, ...], *, with_model: bool
) -> Chart:
    rows: list[DataRow] = []
    for each in effects:
        first, second = (" / ".join(pair[k] for pair in each.names) for k in (0, 1))
        rows.append(
            {
                "place": _name_place(each, with_model=with_model),
                "name": f"{first}, not {second}",
                "control": each.control,
                **read_mean("effect", each.size),
            }
        )
    return Chart(
        make_slug("side-effects", dataset),
        f"What a name is worth before judges on {dataset}",
        "The share of verdicts for the first of two names minus 1/2, all else balanced over the "
        "seatings; names that no seating parts stand together. Hollow dots are controls: names "
        "that mean nothing. Whiskers are 95 % intervals over questions.",
        rows,
        Plot(
            "dots",
            Axis("effect", "verdicts for the first name, beyond 50 %", "points"),
            Axis("name", "", "text"),
            panel="place" if len({row["place"] for row in rows}) > 1 else "",
            hollow="control",
            reference=0,
            tooltip=(Axis("questions"),),
        ),
        notes,
    )
