"""What a debate of each protocol takes on each dataset (APF-Bench, figure 7)."""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from moot.core.results import ArmResult
from moot.debate.agent_config import models_in
from moot.debate.protocol import kind_of
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, by_kind, shorten

LEVELS = {False: "model-level", True: "society-level"}
"""The paper's two kinds of frameworks, by whether agents share a task."""


@chart_kind("charges", place=10)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """One figure: of money where it is known of every arm and not all zero, else of tokens."""
    known = [arm for arm in arms if arm.protocol]
    if len({arm.kind for arm in known}) < 2:
        return
    for what, words, form, of in (
        ("cost", "US dollars per debate", "$,.3~g", lambda arm: arm.cost.mean),
        ("tokens", "tokens per debate", ",.3~s", lambda arm: arm.tokens),
    ):
        rows = list(_rows(known, of))
        taken = [row["price"] for row in rows]
        if None not in taken and any(taken):
            yield _chart(what, words, form, rows)
            return


def _rows(
    arms: Sequence[ChartArm], of: Callable[[ArmResult], float | None]
) -> Iterator[look.DataRow]:
    """Yield a row for each protocol with each model on each dataset: the mean of the arms."""
    several = len({_model(arm) for arm in arms}) > 1
    for own in by_dataset(arms).values():
        for kind, alike in by_kind(own).items():
            for model in dict.fromkeys(map(_model, alike)):
                prices = [of(arm.result) for arm in alike if _model(arm) == model]
                yield {
                    "dataset": own[0].dataset,
                    "label": shorten(f"{kind} · {model}") if several else kind,
                    "level": LEVELS[kind_of(kind.removesuffix(" (simulated)")) == "society"],
                    "price": None if None in prices else fmean(p for p in prices if p is not None),
                    "arms": len(prices),
                }


def _model(arm: ChartArm) -> str:
    return " + ".join(models_in(arm.settings)) if "model" in arm.settings else ""


def _chart(what: str, words: str, form: str, rows: Sequence[look.DataRow]) -> Chart:
    title = f"What a debate takes: {what}"
    caption = (
        f"{words[0].upper()}{words[1:]}, the mean of a protocol's arms, each counted once. "
        "Society-level frameworks: agents with roles that share a task."
    )
    import altair as alt

    order = list(dict.fromkeys(row["label"] for row in rows))
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    most = max(row["price"] for row in rows) * 1.05
    levels = [level for level in LEVELS.values() if any(row["level"] == level for row in rows)]
    panels = []
    for dataset in datasets:
        own = look.data([row for row in rows if row["dataset"] == dataset])
        bars = own.mark_bar(height=11).encode(
            x=alt.X("price:Q", title=words).axis(format=form, tickCount=4).scale(domain=[0, most]),
            y=alt.Y("label:N", title=None, sort=order).scale(domain=order),
            color=alt.Color("level:N", title=None)
            .scale(domain=levels, range=list(look.COLOURS[: len(levels)]))
            .legend(orient="bottom"),
            tooltip=[
                alt.Tooltip("label:N"),
                alt.Tooltip("price:Q", title=words, format=form),
                alt.Tooltip("arms:Q"),
            ],
        )
        panels.append(look.panel([bars], 240, 20 * len(order), dataset))
    made = alt.concat(*panels, columns=2, spacing=25)
    return Chart("charges", title, caption, look.finish_figure(made, title))
