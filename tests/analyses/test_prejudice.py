"""Prejudice: what is compared with what, known answers, and that planted anchoring is recovered."""

import json

import pytest

import moot
from moot.analyses.anchoring import OpeningOutcome, group_by_opening, read_outcomes
from moot.analyses.prejudice import measure_prejudice
from moot.core.errors import InputError
from moot.core.stored import Arm, decode_study
from moot.studies.lab import open_lab

OPEN, RIGHT, WRONG, RANDOM = "open", "control-right", "control-wrong", "control-random"


def arm(opening, name="", protocol="self-consistency", **settings):
    had = {"model": "m", "opening": opening, "distance": "near", "cast": [], **settings}
    return Arm(name=name or opening, protocol=protocol, settings=had)


def outcome(arm, question, verdict, *opening, right="true", replicate=0, dataset="d"):
    accuracy = None if right is None else float(verdict == right)
    return OpeningOutcome(
        arm, dataset, str(question), replicate, "boolean", accuracy, verdict, opening
    )


ARMS = [arm(OPEN), arm(RIGHT), arm(WRONG)]


def test_arms_that_differ_in_their_opening_alone_are_a_group():
    other = [arm(opening, f"few {opening}", samples=2) for opening in (WRONG, OPEN)]
    alone = arm(RIGHT, "alone", protocol="single")
    found = group_by_opening([*ARMS, *other, alone])
    assert [[each.name for each in group] for group in found] == [
        [OPEN, RIGHT, WRONG],
        [f"few {OPEN}", f"few {WRONG}"],
    ]


def test_nodes_say_how_they_are_opened_too_and_old_runs_do_not():
    nodes = [arm(opening, nodes=[{"name": "A", "opening": opening}]) for opening in (OPEN, WRONG)]
    assert len(group_by_opening(nodes)) == 1
    old = Arm(name="old", protocol="self-consistency", settings={"model": "m", "cast": []})
    assert [each.name for each in group_by_opening([ARMS[2], old])[0]] == ["old", WRONG]


def test_the_figures_of_a_known_run():
    """Ten questions: open right in 5; a right value is followed in 8, a wrong one in 7."""
    rows = []
    for k in range(10):
        rows.append(outcome(OPEN, k, "true" if k < 5 else "false"))
        rows.append(outcome(RIGHT, k, "true" if k < 8 else "false", "true"))
        rows.append(outcome(WRONG, k, "true" if k < 3 else "false", "false"))
    found = measure_prejudice(rows, arms=ARMS, run="r", name="n", simulated=[WRONG])
    [group] = found.groups
    assert (group.dataset, group.name, group.model, group.society) == (
        "d", "self-consistency", "m", False
    )  # fmt: skip
    assert found.simulated
    openly, right, wrong = group.columns
    assert [each.accuracy.mean for each in group.columns] == pytest.approx([0.5, 0.8, 0.3])
    assert [each.best for each in group.columns] == [False, True, False]
    assert openly.difference is openly.sway is openly.right_minus is right.right_minus is None
    assert right.difference.mean == pytest.approx(0.3)
    assert wrong.difference.mean == pytest.approx(-0.2)
    assert wrong.right_minus.mean == pytest.approx(0.5)
    assert (wrong.right_minus.better, wrong.right_minus.worse) == (5, 0)
    assert right.difference.p == pytest.approx(0.25)
    assert wrong.right_minus.p_holm == pytest.approx(3 * wrong.right_minus.p)
    assert (right.sway.followed.mean, right.sway.openly.mean) == (0.8, 0.5)
    assert (wrong.sway.followed.mean, wrong.sway.openly.mean) == (0.7, 0.5)
    assert wrong.sway.difference.mean == pytest.approx(0.2)
    assert wrong.sway.difference.p_holm == pytest.approx(0.5)
    assert group.variation.range.mean == pytest.approx(0.5)
    assert group.variation.range.questions == 10
    assert group.variation.sd.mean == pytest.approx(0.2055, abs=1e-4)


def test_sway_is_of_the_pairs_and_of_values_that_equal_by_value():
    def number(arm, question, verdict, *opening):
        return OpeningOutcome(arm, "d", question, 0, "number", None, verdict, opening)

    rows = [
        number(OPEN, "a", "1/2"),
        number(RANDOM, "a", "0.50", "0.5"),
        number(OPEN, "b", "7"),
        number(RANDOM, "b", None, "8"),  # it failed: nothing is followed
        number(RANDOM, "c", "9", "9"),  # without an open debate
    ]
    [group] = measure_prejudice(rows, arms=[arm(OPEN), arm(RANDOM)]).groups
    sway = group.columns[1].sway
    assert (sway.followed.mean, sway.openly.mean, sway.difference.pairs) == (0.5, 0.5, 2)
    assert group.columns[1].unanswered == 1
    assert group.columns[1].difference is group.variation is None  # no right answer is known
    assert not any(column.best for column in group.columns)


def test_without_arms_by_opening_it_says_what_is_needed():
    with pytest.raises(InputError, match=r"run x: no two arms differ .* opening = \['open'"):
        measure_prejudice([], arms=ARMS[:1], run="x")
    with pytest.raises(InputError, match="run x: its arms by opening have not debated yet"):
        measure_prejudice([outcome(OPEN, 1, "true")], arms=ARMS, run="x")


async def found_in(folder, study):
    run = await moot.run(study, store=folder / "store")
    async with open_lab(folder / "store", readonly=True) as lab:
        row = lab.store.find_run(run.run)
        return measure_prejudice(
            read_outcomes(lab.store.debates(row.id)), arms=decode_study(row).arms
        )


PARTS = 4


@pytest.fixture
def study(tmp_path):
    """A study of one protocol in three openings on four times 100 statements."""
    parts = []
    for part in range(PARTS):
        lines = [
            {"id": str(k), "kind": "boolean", "question": f"Is {k} {part}?", "answer": bool(k % 2)}
            for k in range(100)
        ]
        file = tmp_path / f"part{part}.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
        parts.append({"name": "file", "label": f"part {part}", "path": str(file)})
    return lambda **arm: {
        "name": "planted",
        "datasets": parts,
        "arms": [{"opening": [OPEN, RIGHT, WRONG], **arm}],
    }


def majority(share):
    """How likely at least two of three are."""
    return share**3 + 3 * share**2 * (1 - share)


@pytest.mark.parametrize(
    ("protocol", "of"),
    [("single", float), pytest.param("self-consistency", majority, marks=pytest.mark.soak)],
)
async def test_planted_anchoring_is_recovered(study, tmp_path, protocol, of):
    """An agent asked about a value says it with 0.4, and else answers by its belief, 0.6 right."""
    model = "simulated/swayed?accuracy=0.6&anchor=0.4"
    sampled = {"samples": 3} if protocol != "single" else {}
    found = await found_in(tmp_path, study(protocol=protocol, model=model, **sampled))
    inside = 0
    for group in found.groups:
        for column, belief in zip(group.columns[1:], (0.6, 0.4), strict=True):
            truth = of(belief + 0.4 * (1 - belief)) - of(belief)
            gap = column.sway.difference
            assert gap.pairs == 100
            assert gap.mean == pytest.approx(truth, abs=0.2)
            inside += gap.low <= truth <= gap.high
        assert group.variation.p < 0.01
    assert inside >= 2 * PARTS - 2  # fewer in one of 170 studies


@pytest.mark.parametrize(
    "protocol", ["single", pytest.param("consultancy", marks=pytest.mark.soak)]
)
async def test_where_no_anchoring_is_planted_none_is_found(study, tmp_path, protocol):
    arm = {"protocol": protocol, "model": "simulated/free?accuracy=0.6"}
    found = await found_in(tmp_path, study(**arm))
    gaps = [column.sway.difference for group in found.groups for column in group.columns[1:]]
    assert sum(gap.low <= 0 <= gap.high for gap in gaps) >= 2 * PARTS - 2
    assert not any(gap.p_holm <= 0.01 for gap in gaps)
    assert not any(group.variation.p <= 0.01 for group in found.groups)
