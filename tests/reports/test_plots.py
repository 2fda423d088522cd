"""How plots are drawn: that everything has room, in each style."""

import re
from statistics import linear_regression

import pytest

from moot.core.chart import Axis, Chart, Plot
from moot.reports.chart_style import INSIDE, PAPER, ChartStyle
from moot.reports.drawings import draw_chart
from moot.reports.plots import make_vega
from support.charted_runs import draw, make_whole, texts_of

STYLES = [ChartStyle(), ChartStyle(width="column"), ChartStyle(width="page", theme="dark")]
ACCURACY = Axis("accuracy", "accuracy", "share")


@pytest.fixture(scope="module")
def drawn():
    return draw(make_whole())


def _rows(count=3):
    return [
        {"size": size, "arm": name, "accuracy": 0.5 + k / 50, "low": 0.4, "high": 0.7}
        for k, name in enumerate(f"arm {n}" for n in range(count))
        for size in (1, 2, 3)
    ]


def _lines(*, steps=True, **given):
    plot = Plot("lines", Axis("size", "agents", steps=steps), ACCURACY, colour="arm", **given)
    return Chart("lines", "Lines", "About lines.", _rows(), plot)


@pytest.mark.parametrize(
    "style", [STYLES[0], *(pytest.param(style, marks=pytest.mark.soak) for style in STYLES[1:])]
)
def test_pictures_are_as_wide_as_they_should_be(drawn, style):
    for chart in drawn.values():
        svg = draw_chart(chart, "svg", style).decode()
        width, unit = re.search(r'<svg[^>]* width="([\d.]+)(pt|)"', svg).groups()
        assert unit == ("pt" if style.for_print else "")
        assert 0.8 * style.whole_width <= float(width) <= 1.08 * style.whole_width, chart.name


def test_whiskers_of_several_series_stand_side_by_side():
    rows = make_vega(_lines())["datasets"]["rows"]
    places = {(row["size"], row["arm"]): row["place_0"] for row in rows}
    assert len(set(places.values())) == 9
    assert all(abs(place - size) < 0.25 for (size, _), place in places.items())


def test_that_marks_stand_side_by_side_is_said_and_at_measured_values_none_does():
    said = "Marks at the same agents stand side by side"
    assert said in texts_of(_lines())
    measured = _lines(steps=False)
    assert said not in texts_of(measured)
    rows = make_vega(measured)["datasets"]["rows"]
    assert not any(name.startswith("place_") for row in rows for name in row)


def test_the_front_is_joined_and_its_marks_alone_are_numbered_and_named_above():
    rows = [
        {"arm": name, "price": price, "accuracy": share}
        for name, price, share in (("cheap", 1, 0.5), ("bad", 2, 0.4), ("good", 3, 0.7))
    ]
    plot = Plot("dots", Axis("price"), ACCURACY, label="arm", front=True)
    texts = texts_of(Chart("front", "Front", "", rows, plot))
    assert {"1", "2", "1 cheap · 2 good"} <= set(texts)
    assert "bad" not in " ".join(texts)


def test_names_are_never_cut():
    name = "a name that goes on and on and on without an end that could be seen from here 75"
    rows = [{"arm": f"{name}{k}", "gain": 0.1 * k} for k in range(3)]
    for style in STYLES:
        plot = Plot("bars", Axis("gain", "", "points"), Axis("arm", "", "text"))
        words = " ".join(texts_of(Chart("bars", "Bars", "", rows, plot), style))
        lines = re.sub(r"\s+", " ", words)
        for part in name.split(" "):
            assert lines.count(part) >= 3, (style, part)
        dots = Plot("dots", Axis("gain"), Axis("gain"), colour="arm")
        assert "…" not in " ".join(texts_of(Chart("dots", "Dots", "", rows, dots), style))


def test_names_in_dark_pictures_stay_what_they_are():
    rows = [{"arm": name, "gain": 0.1} for name in ("white", "black")]
    plot = Plot("bars", Axis("gain", "", "points"), Axis("arm", "", "text"))
    texts = texts_of(Chart("bars", "white", "", rows, plot), ChartStyle(theme="dark"))
    assert {"white", "black"} <= set(texts)
    assert PAPER not in texts


def light(colour):
    """How light a colour is by WCAG, from 0 to 1; of six digits, of three, or named."""
    colour = {"white": "#fff", "black": "#000"}.get(colour, colour).removeprefix("#")
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    even = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * even[0] + 0.7152 * even[1] + 0.0722 * even[2]


@pytest.mark.soak
@pytest.mark.parametrize(("paper", "theme"), [("white", "light"), (PAPER, "dark")])
def test_every_text_can_be_read_in_light_and_in_dark(drawn, paper, theme):
    pictures = [draw_chart(chart, "svg", ChartStyle(theme=theme)) for chart in drawn.values()]
    found = set(re.findall(r'<text[^>]* fill="(.*?)"', b"".join(pictures).decode()))
    assert INSIDE in found
    for colour in found - {INSIDE}:
        low, high = sorted((light(colour), light(paper)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour


def test_names_beneath_bars_do_not_meet():
    names = ("shown first", "shown second", "arguing-female", "arguing-male")
    rows = [{"name": name, "share": 0.5} for name in names]
    plot = Plot("bars", Axis("name", "", "text"), Axis("share", "", "share", (0, 1)))
    texts = texts_of(Chart("bars", "Bars", "", rows, plot), ChartStyle(width="column"))
    assert "shown second" not in texts
    assert {"second", "arguing-", "female"} <= set(texts)


def test_height_is_that_of_a_panel():
    layers = make_vega(_lines(), ChartStyle(height=123))["concat"]
    assert [each["height"] for each in layers] == [123]


def _heights(svg, words):
    """The y of a text within its panel, and of the panel, as they stand in a picture."""
    found = re.findall(rf'<text[^>]*transform="translate\(([\d.-]+),([\d.-]+)\)"[^>]*>{words}', svg)
    return [float(y) for _, y in found]


def test_headings_of_panels_are_level_wherever_marks_stand():
    rows = [
        {"arm": "one", "model": model, "calls": calls, "accuracy": share}
        for model, share in (("high", 1.0), ("low", 0.1))
        for calls in (1, 9)
    ]
    plot = Plot("dots", Axis("calls", "calls"), ACCURACY, panel="model", size=Axis("calls"))
    svg = draw_chart(Chart("level", "Level", "", rows, plot), "svg").decode()
    assert _heights(svg, "high") == _heights(svg, "low")
    assert len(_heights(svg, "high")) == 1


def test_no_line_breaks_within_the_name_of_an_arm_of_the_front():
    names = [f"chateval rounds={k} mode=one-by-one summary=false" for k in range(1, 9)]
    rows = [{"arm": name, "price": k, "accuracy": k / 9} for k, name in enumerate(names, 1)]
    plot = Plot("dots", Axis("price"), ACCURACY, label="arm", front=True)
    texts = texts_of(Chart("front", "Front", "", rows, plot))
    for k, name in enumerate(names, 1):
        assert sum(f"{k} {name}" in text for text in texts) == 1


def test_zero_has_no_sign_on_an_axis_of_differences():
    rows = [{"arm": "one", "gain": -0.2}, {"arm": "two", "gain": 0.2}]
    plot = Plot("bars", Axis("gain", "", "points"), Axis("arm", "", "text"))
    texts = texts_of(Chart("bars", "Bars", "", rows, plot))
    assert {"0%", "+20%"} <= set(texts)
    assert "+0%" not in texts


def test_over_a_share_the_line_is_that_of_least_squares():
    shares = [(0.1, 0.9), (0.1, 0.5), (0.9, 0.3), (0.5, 0.2)]
    rows = [{"arm": "one", "agree": x, "accuracy": y} for x, y in shares]
    plot = Plot("lines", Axis("agree", "agreement", "share"), ACCURACY, colour="arm")
    svg = draw_chart(Chart("fit", "Fit", "", rows, plot), "svg", ChartStyle(height=100)).decode()
    [line] = re.findall(r'mark-line role-mark[^>]*><path[^>]* d="([^"]*)"', svg)
    (_, left), *_, (_, right) = [map(float, one.split(",")) for one in re.split("[ML]", line)[1:]]
    slope, _ = linear_regression(*zip(*shares, strict=True))
    a_pixel = (0.9 - 0.2) / 100  # from the least to the greatest accuracy
    assert (left - right) * a_pixel == pytest.approx(slope * (0.9 - 0.1), abs=0.001)


def test_a_radar_has_a_spoke_for_each_name_and_a_closed_line_for_each_arm():
    rows = [
        {"arm": arm, "measure": name, "value": share}
        for arm, share, names in (
            ("one", 1.0, ("north", "east", "south", "west")),
            ("two", 0.5, ("north", "south", "east", "west")),
        )
        for name in names
    ]
    axes = Axis("value", "share", "share", (0, 1)), Axis("measure", "", "text")
    chart = Chart("radar", "Radar", "", rows, Plot("radar", *axes, colour="arm"))
    assert {"north", "east", "south", "west", "50%", "100%"} <= set(texts_of(chart))
    placed = {
        (row["arm"], row["measure"]): (row["radar_x"], row["radar_y"])
        for row in make_vega(chart)["datasets"]["rows"]
    }
    for arm, share in (("one", 1.0), ("two", 0.5)):
        around = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
        for name, (x, y) in around.items():
            assert placed[arm, name] == pytest.approx((share * x, share * y))
    svg = draw_chart(chart, "svg").decode()
    closed = re.findall(r'd="(M[\d.]+,[^"]*L[^"]*Z)"[^>]*stroke="(#0072B2|#D55E00)"', svg)
    assert [colour for _, colour in closed] == ["#0072B2", "#D55E00"]
    whole, half = (_measure_area(line) for line, _ in closed)
    assert whole == pytest.approx(4 * half, rel=0.01)  # no line crosses the wheel


def _measure_area(line):
    """The area within a closed line of an SVG, by the shoelace formula."""
    corners = [tuple(map(float, each.split(","))) for each in re.findall(r"[\d.]+,[\d.]+", line)]
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return abs(sum(x * down - across * y for (x, y), (across, down) in pairs)) / 2
