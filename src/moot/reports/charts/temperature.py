"""Accuracy against the temperature (APF-Bench, figure 8)."""

from collections.abc import Iterator, Sequence

from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_kind, make_slug
from moot.reports.charts.scaling import ArmCurve, curves, names, panel, rows


@chart_kind("temperature", place=9)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each protocol with arms that differ in their temperature alone."""
    found = [each for each in curves(arms) if each.setting == "temperature"]
    for kind, own in by_kind([arm for each in found for _, arm in each.steps]).items():
        here = [each for each in found if each.steps[0][1].kind == kind]
        yield _chart(kind, own, here)


def _chart(kind: str, arms: Sequence[ChartArm], found: Sequence[ArmCurve]) -> Chart:
    title = f"Accuracy by temperature of {kind}"
    caption = (
        "Arms that differ in their temperature alone, one line for each dataset and each other "
        "setting in which they differ. Bars are 95 % intervals over questions."
    )
    words = names(found, lambda each: f"{each.steps[0][1].dataset} {each.label}".strip())
    data = rows(found, words)
    colour, shape = look.encode_names("curve", words)
    ends = look.share(*look.extremes(data))
    drawn = panel(data, "size", "temperature", ends, colour, shape)
    drawn.width, drawn.height = look.WIDTH, look.HEIGHT
    return Chart(
        make_slug("temperature", kind),
        title,
        caption,
        look.finish_figure(drawn, title, look.questions(arms)),
    )
