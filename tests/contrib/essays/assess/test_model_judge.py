"""What a judge is asked about essays: every pair in both orders, and the points of each."""

from collections import Counter

import pytest

from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.essays.assess.assessment import assess
from moot.contrib.essays.assess.model_judge import Judging, parse_points
from moot.contrib.essays.run_essays import read_essays
from moot.core.errors import InputError, UnknownName
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget
from moot.runtime.embedder import Embedder
from moot.studies.lab import open_lab
from support.essays import hold_study, judge_reply


@pytest.fixture
def judged(tmp_path):
    """Has a judge assess a run; what it said, and how often it was asked."""

    async def judged(judge=judge_reply, budget=None, own=Scripted, grades=0, **given):
        key = await hold_study(tmp_path)
        asked = Counter()

        def counted(call):
            asked[call.messages[-1].content] += 1
            return judge(call)

        async with open_lab(tmp_path / "store") as lab:
            lab.use_models([own(counted, name="judge")])
            runs = RecordedRuns(lab, [key])
            essays = read_essays(runs).essays
            given = {"budget": budget, "grades": grades, **given}
            judging = Judging(runs.rows[0], essays, "scripted/judge", **given)
            found = await assess(runs, embed=Embedder.find("embedded"), judging=judging)
            await lab.store.flush()
            status = lab.store.find_run(judging.key).status
        return found, asked, status

    return judged


def rows(found, title):
    """The cells of each row of the table with this in its title, by the first of them."""
    [table] = [each for each in found.report.tables if each.title.endswith(title)]
    return {row.cells[0]: row.cells[1:] for row in table.rows}


def headings(found):
    return [column.name for column in found.report.tables[0].columns]


async def test_what_is_planted_is_found_whichever_essay_is_shown_first(judged):
    found, asked, status = await judged(pairs=2)
    notes = " ".join(found.report.notes)
    assert status == "done"
    assert "(single), SIMULATED: no language model. 42 of 42 debates held" in notes
    assert "24 comparisons, of them 0 ties." in notes
    for aspect in ("relevance", "preference"):
        won = {arm: cells[0].mean for arm, cells in rows(found, f"judged by {aspect}").items()}
        assert won == {"rich": 1.0, "plain": 0.0}
    for agree, first, *_ in rows(found, "order matters").values():
        assert (agree.mean, first.mean) == (1.0, 0.5)
    assert headings(found) == ["arm", "S-BLEU", "S-Emb", "Pers.", "n"]
    plain, rich = rows(found, "town: essays").values()
    assert [each.mean for each in plain[:3]] == pytest.approx([100, 100, 100])
    assert rich[0].mean < 20
    assert rich[2].mean < 90
    assert found.report.simulated
    points = [text for text in asked if "its main points" in text]
    assert all("refute this proposition" in text for text in asked.keys() - set(points))
    assert len(points) == 4  # the plain arm says the same on all propositions, the rich one thrice


def graded(call):
    """The replies of a judge that gives gold essays a 5 and dull ones a 3, at the second asking."""
    text = call.messages[-1].content
    if "main points" in text or "The first essay" in text:
        return judge_reply(call)
    if len(call.messages) == 1:
        return "I like it."
    return f"Final answer: {5 if 'gold' in call.messages[0].content else '3/5'}"


async def test_grades_are_asked_again_and_stand_in_table_1_with_their_crowding(judged):
    found, *_ = await judged(graded, grades=2, pairs=2)
    assert "Graded: 6 essays of each method." in found.report.tables[0].note
    assert headings(found)[:4] == ["arm", "Rel.", "Pref.", "S-BLEU"]
    plain, rich = rows(found, "town: essays").values()
    assert [each.mean for each in (*plain[:2], *rich[:2])] == [3, 3, 5, 5]
    assert (plain[0].n, plain[0].questions) == (6, 3)
    [against] = [each for each in found.report.tables if each.title.endswith("against plain")]
    arm, measure, gap, p, *_ = against.rows[0].cells
    assert (arm, measure, gap.mean, p) == ("rich", "Rel.", 2, 0.25)
    [crowd] = [each for each in found.report.tables if each.title.endswith("how grades crowd")]
    shares = [(row.band, row.cells[0], row.cells[6].mean, *row.cells[7:]) for row in crowd.rows]
    assert shares[:2] == [("relevance", "plain", 0, 0, 6), ("relevance", "rich", 1, 0, 6)]
    pairs, same, agree, p, arms = rows(found, "grades and comparisons agree")["preference"]
    assert (pairs, same.mean, agree.mean, p, arms) == (6, 0, 1, 0.25, "1 of 1")
    quality, _, wins, _ = found.report.charts
    assert {(row["arm"], row["measure"], row["value"]) for row in quality.rows} == {
        *(("plain", measure, 3) for measure in ("Rel.", "Pref.")),
        *(("rich", measure, 5) for measure in ("Rel.", "Pref.")),
    }
    drawn = [(row["arm"], row["against"], row["won"]) for row in wins.rows]
    assert drawn == [("plain", "rich", 0), ("rich", "plain", 1)]


async def test_a_grade_beyond_the_scale_or_none_is_counted_and_in_no_mean(judged):
    again = []

    def says(call):
        if "Give one whole number" not in call.messages[0].content:
            return judge_reply(call)
        if len(call.messages) > 1:
            again.append(call)
        return "Final answer: 7" if "gold" in call.messages[0].content else "I like it."

    found, *_ = await judged(says, grades=1)
    assert "12 grades of 12 not read: in no mean." in found.report.notes
    assert "Rel." not in headings(found)
    assert len(again) == 12
    [crowd] = [each for each in found.report.tables if each.title.endswith("how grades crowd")]
    assert [row.cells[7:] for row in crowd.rows] == [[3, 6], [3, 0], [3, 6], [3, 0]]


async def test_every_aspect_and_the_points_can_have_a_judge_of_their_own(tmp_path):
    key = await hold_study(tmp_path)
    asked = {}

    def judge(name):
        def says(call):
            text = call.messages[-1].content
            asked.setdefault(name, set()).add("main points" in text)
            graded = "Give one whole number" in text
            return f"Final answer: {3 if name == 'one' else 4}" if graded else "A\nB"

        return Scripted(says, name=name)

    async with open_lab(tmp_path / "store") as lab:
        lab.use_models([judge(name) for name in ("one", "two", "three")])
        runs = RecordedRuns(lab, [key])
        essays = read_essays(runs).essays
        for models in ({"points": "scripted/two", "preference": "scripted/three"}, {}):
            judging = Judging(runs.rows[0], essays, "scripted/one", models=models, pairs=1)
            found = await assess(runs, embed=Embedder.find("embedded"), judging=judging)
    # the second judge has no others beside it
    assert asked == {"one": {True, False}, "two": {True}, "three": {False}}
    [table] = [each for each in found.report.tables if each.title.endswith("side by side")]
    newest, first = table.rows[0], table.rows[2]
    assert newest.band.startswith("scripted/one (single), tried-judged-")
    assert first.band.startswith(
        "points: scripted/two; relevance: scripted/one; preference: scripted/three (single)"
    )
    assert [cell.mean for row in (newest, first) for cell in row.cells[1:3]] == [3, 3, 3, 4]


async def test_ties_and_replies_that_cannot_be_read_are_counted(judged):
    def says(call):
        text = call.messages[-1].content
        if "main points" in text:
            return " "
        return "Final answer: C" if "better response" in text else "I would rather not say."

    found, _, status = await judged(says)
    notes = " ".join(found.report.notes)
    assert "12 comparisons, of them 6 ties." in notes
    assert "6 comparisons without an answer that could be read, and 0 of the same" in notes
    assert "18 essays without a point that could be read" in notes
    assert "Pers." not in headings(found)
    assert status == "done"


async def test_a_stopped_one_goes_on_and_nothing_is_paid_for_twice(judged):
    found, asked, status = await judged(budget=Budget(calls=5))
    assert (status, asked.total()) == ("stopped", 5)
    assert "stopped at the cap" in found.stopped
    assert f"Stopped: {found.stopped}" in found.report.notes
    whole, again, status = await judged()
    assert (status, whole.stopped) == ("done", "")
    assert asked.total() + again.total() == 18  # as many as without a stop
    replayed, none, _ = await judged()
    assert not none
    assert replayed == whole


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"grades": -1}, InputError, "grades = -1: must be at least 0"),
        ({"protocol": "singel"}, UnknownName, "did you mean 'single'"),
        ({"settings": {"samples": "3"}}, UnknownName, "judge"),
        ({"settings": {"style": "few-shot"}}, InputError, "there are no examples of essays"),
        ({"settings": {"opening": "control-right"}}, InputError, "opening"),
    ],
)
async def test_a_judge_that_cannot_be_is_refused_before_it_is_asked(judged, given, error, says):
    with pytest.raises(error, match=says):
        await judged(**given)


@pytest.mark.parametrize(
    ("reply", "points"),
    [
        ("It costs too much.\nIt helps nobody.", ("It costs too much.", "It helps nobody.")),
        ("Points:\n1. One\n2) Two\n(3) Three", ("One", "Two", "Three")),
        ("- **Cost**: too high\n\n* Use: none", ("Cost: too high", "Use: none")),
        ("Point 1: a\nFinal answer: b", ("a", "b")),
        ("Here they are:", ("Here they are:",)),
        ("1\n2\n3\n4\n5\n6\n7", ("1", "2", "3", "4", "5")),
        ("same\nsame", ("same",)),
        ("...\n\n---\n", ()),
    ],
)
def test_points_are_the_lines_of_a_reply(reply, points):
    assert parse_points(reply) == points
