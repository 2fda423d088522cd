"""Why agents change their answers: each reason planted alone is found, and the others are not."""

import pytest

from moot.analyses.revised_answers import SOURCES, RevisedAnswer, _measure_source, attribute_flips
from support.recorded import analyse_sums

STABLE = {"concentration": 1e6, "revise": -1}
"""Reading moves no belief, and nobody changes an answer unless something planted does."""


def unit(first, nothing, stances, reasons, /, *peers, question="q", right="A", **again):
    revised = {"nothing": nothing, "stances": stances, "vacuous": first, "reasons": reasons}
    return RevisedAnswer(question, first, peers, revised, again, frozenset(right))


def test_the_three_reasons_add_up_to_all_changes():
    units = [
        unit(*answers, "B", "C", question=str(place))
        for place, answers in enumerate([("A", a, b, c) for a in "AB" for b in "AB" for c in "ABC"])
    ]
    *parts, whole = attribute_flips(units)
    assert sum(each.flips for each in parts) == whole.flips == 8
    assert sum(each.share.mean for each in parts) == pytest.approx(whole.share.mean)
    assert whole.flips == whole.harmful + whole.useful + whole.neutral


def test_conformity_is_only_to_an_answer_of_a_peer_and_net_of_chance():
    [_, conformity, *_] = SOURCES
    units = [
        unit("A", "A", "B", "A", "B", question="1", nothing="A"),
        unit("A", "A", "C", "A", "B", question="2", nothing="A"),  # not a peer's answer
        unit("A", "A", "A", "A", "B", question="3", nothing="B"),  # changes by chance as well
        unit("A", "A", "B", "A", "A", question="4", nothing="A"),  # no peer differs
        unit("A", "B", "B", "A", "B", question="5", nothing="A"),  # not stable
        unit("B", "B", "A", "A", "A", question="6", nothing="B"),
    ]
    found = _measure_source(conformity, units)
    assert (found.gross.n, found.gross.mean) == (4, 0.5)
    assert found.net.mean == pytest.approx(0.25)
    assert (found.harmful, found.useful, found.neutral) == (0.25, 0.25, 0.0)


def find(tmp_path, n, **knobs):
    options = "&".join(f"{name}={value}" for name, value in knobs.items())
    given = [f"simulated/people?{options}", [{"protocol": "society-of-minds"}]]
    sums = {"n": n, "difficulty": 4}
    [found] = analyse_sums(tmp_path, "flip-sources", *given, sums, controls=True).data
    return {each.name: each for each in found.sources}


def moved(found):
    """The reasons whose net figure, or for instability the gross one, is off 0."""
    nets = {name for name, each in found.items() if each.net is not None and each.net.low > 0}
    return nets | ({"instability"} if found["instability"].gross.mean else set())


SHOWN = {"bare_conformity": "conformity", "persuasion": "content of reasons"}


REASONS = [
    ({}, set()),
    ({"persuasion": 0.4}, {"persuasion", "content of reasons"}),
    ({"revise": 0.3}, {"instability"}),
    ({"bare_conformity": 0.4}, {"conformity"}),
    ({"placebo": 0.4}, {"placebo", "persuasion"}),
]


@pytest.mark.parametrize(
    ("planted", "finds", "n"),
    [
        *((*each, 40) for each in REASONS[:2]),
        *(pytest.param(*each, 100, marks=pytest.mark.soak) for each in REASONS),
    ],
)
def test_what_is_planted_alone_is_found_alone(tmp_path, planted, finds, n):
    """Persuasion by whole replies has the look of a reason in it; its content has not."""
    found = find(tmp_path, n, **STABLE | planted)
    assert moved(found) == finds
    for name, size in planted.items():
        shown = SHOWN.get(name, name)
        if net := shown in found and found[shown].net:
            assert net.low <= size <= net.high


def test_without_second_draws_there_are_no_net_figures(tmp_path):
    ways = ("nothing", "stances", "reasons")
    arms = [{"protocol": "exposure", "name": way, "shows": way} for way in ways]
    model = "simulated/people?unparseable=0.2"
    report = analyse_sums(tmp_path, "flip-sources", model, arms, {"n": 10})
    [found] = report.data
    assert [each.name for each in found.sources] == ["instability", "conformity", "persuasion"]
    assert all(each.net is None for each in found.sources)
    assert 0 < found.unparsed < 30 == found.units + found.unparsed
    assert any("repeats = true" in note for note in report.notes)
    assert any(
        "placebo: not shown, there is no method that shows vacuous" in n for n in report.notes
    )
    assert any("agents have an unparsed answer: left out" in note for note in report.notes)
