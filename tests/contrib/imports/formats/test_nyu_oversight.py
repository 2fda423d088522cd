"""Hearings of NYU: every speech and belief comes in, and the published figures follow."""

import asyncio
import json
from collections import Counter

import pytest

from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.contrib.imports.logged_questions import QuestionKind
from moot.contrib.imports.transcripts import make_transcript
from moot.contrib.oversight.oversight_games import read_game
from moot.studies.lab import open_lab

FORM = "nyu-oversight"
WORDS = ["The", "keeper", "counted", "eleven", "ships", "."]


def say(text, *span):
    quoted = [{"Quote": {"span": list(span)}}] if span else []
    return {"speaker": "x", "timestamp": 1, "content": [{"Text": {"text": text}}, *quoted]}


def feel(*chances, ends=False, text="Hm."):
    return {"JudgeFeedback": {"distribution": chances, "feedback": say(text), "endDebate": ends}}


def hearing(*rounds, answers=("Seven", "Eleven"), right=1, roles=("Debater A", "Debater B")):
    setup = {
        "sourceMaterial": {"QuALITYSourceMaterial": {"articleId": "7", "contents": WORDS}},
        "question": "How many?",
        "answers": list(answers),
        "correctAnswerIndex": right,
        "roles": {**dict.fromkeys(roles, "GPT-4"), "Judge": "Kiki"},
    }
    return {"setup": setup, "rounds": list(rounds), "feedback": {}, "scratchpads": {}}


def speeches(*texts, kind="SequentialSpeeches", first=0):
    return {kind: {"speeches": {str(n): text for n, text in enumerate(texts, first)}}}


TALK = (
    feel(0.5, 0.5),
    speeches(say("Seven."), say("No: ", 2, 5)),
    feel(0.1, 0.9, ends=True, text="B it is."),
)


def test_speeches_quote_the_text_and_beliefs_are_readings(write, read):
    [debate], unread, _ = read(write(hearing(*TALK), "a-0.json"), form=FORM)
    assert not unread
    said = debate.turns
    assert [turn.agent for turn in said] == ["Judge", "Debater A", "Debater B", "Judge"]
    assert said[2].text == "No: <quote>counted eleven ships</quote>"
    assert [turn.reads for turn in said] == [(), (1,), (1, 2), (1, 2, 3)]
    # The options stand in the order of their words: what was shown first is B here.
    assert debate.question.choices == ("Eleven", "Seven")
    assert debate.settings["swapped"]
    assert [turn.answer for turn in said] == [None, "B", "A", "A"]
    assert said[3].reading["scores"] == {"A": 0.9, "B": 0.1}
    assert (debate.verdict.answer, debate.verdict.correct, debate.verdict.turn) == ("A", True, 4)
    assert (debate.question.answer, debate.question.context) == ("A", " ".join(WORDS))


def test_who_speaks_at_the_same_time_has_not_read_the_other(write, read):
    talk = speeches(say("x"), say("y"), kind="SimultaneousSpeeches")
    [debate], _, _ = read(write(hearing(feel(0.5, 0.5), talk)))
    assert [turn.reads for turn in debate.turns] == [(), (1,), (1,)]
    assert debate.verdict is None
    assert debate.error == "ended without the decision of a judge"


def test_a_game_is_read_through_what_the_transcript_says(write, read):
    [debate], _, _ = read(write(hearing(*TALK)))
    game = read_game(make_transcript(debate, QuestionKind(), source="x").transcript)
    assert (game.right, game.read, game.first, game.swapped) == (True, True, False, True)
    assert game.chance == pytest.approx(0.9)
    assert game.beliefs == (0.5, 0.9)
    right, wrong = game.sides
    assert (right.arguments, right.quoted, right.real) == (1, 1, 1)
    assert (wrong.arguments, wrong.quoted) == (1, 0)


def test_a_tie_is_no_answer_and_one_advocate_is_a_consultant(write, read):
    talk = (speeches(say("Seven."), first=0), feel(0.5, 0.5, ends=True))
    [debate], _, _ = read(write(hearing(*talk, roles=("Debater A",))))
    assert debate.method == "oversight-consultancy"
    assert debate.agents[0].role == "consultant"
    assert (debate.verdict.answer, debate.verdict.correct) == (None, False)
    game = read_game(
        make_transcript(debate, QuestionKind(), source="x", protocol=debate.method).transcript
    )
    assert (game.right, game.read, game.argued, game.chance) == (False, False, (False, True), 0.5)


@pytest.mark.parametrize(
    "bad", [{"setup": 1, "rounds": []}, hearing({"Odd": {}}, right=5), hearing(feel(1), answers=())]
)
def test_what_is_no_hearing_is_named(write, read, bad):
    path = write(hearing(*TALK), "logs/a.json").parent
    write(bad, "logs/b.json")
    debates, unread, _ = read(path)
    assert len(debates) == 1
    assert [each.place for each in unread] == ["b.json"]


def recount(folder):
    """Count right answers, debates and squared errors by the table alone."""
    right, held, errors = Counter(), Counter(), Counter()
    for line in (folder / "debates-metadata.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["includedInPaper"]:
            setting = row["setting"]["isHuman"], row["setting"]["isDebate"]
            judged = row["status"]["Complete"]["result"]["judgingInfo"]
            chance = judged["finalJudgement"][judged["correctAnswerIndex"]]
            right[setting] += chance > 0.5
            held[setting] += 1
            errors[setting] += (1 - chance) ** 2
    return right, held, {each: errors[each] / held[each] for each in held}


PAPER = {
    (True, True): (130, 154, 0.136),
    (True, False): (71, 96, 0.207),
    (False, True): (68, 87, 0.183),
    (False, False): (61, 76, 0.168),
}


def test_all_hearings_come_in(shared, read):
    folder = shared("oversight-nyu")
    debates, unread, _ = read(folder, form=FORM)
    assert not unread
    turns = Counter()
    for path in folder.glob("debates/official/*.json"):
        for part in json.loads(path.read_bytes())["rounds"]:
            [(kind, told)] = part.items()
            turns["speeches"] += len(told.get("speeches", ()))
            turns["beliefs"] += kind == "JudgeFeedback"
            turns["later"] += sum(
                len(each["judgments"]) for each in told.get("judgments", {}).values()
            )
    said = Counter(turn.agent.partition(" ")[0] for each in debates for turn in each.turns)
    assert len(debates) == 631
    assert said == {
        "Debater": turns["speeches"],
        "Judge": turns["beliefs"],
        "Offline": turns["later"],
    }
    right, held, brier = recount(folder)
    assert {each: (right[each], held[each], round(brier[each], 3)) for each in held} == PAPER
    names = {"human": True, "ai": False}
    verdicts = Counter(
        (names[each.settings["advocates"]], each.method == "oversight-debate")
        for each in debates
        if each.dataset == "QuALITY" and each.verdict.answer == each.question.answer
    )
    assert verdicts == right


@pytest.mark.soak
def test_the_analysis_gives_the_published_figures(shared, tmp_path, moot):
    log = Log(shared("oversight-nyu"))

    async def take():
        async with open_lab(tmp_path / "store") as lab:
            return await import_log(lab, log, find_format(log))

    found = asyncio.run(take())
    assert found.debates + found.unread_parts == 631  # what was never begun has no turn
    where = "--store", str(tmp_path / "store")
    code, told, _ = moot("analyse", "oversight", found.run, "--format", "json", *where)
    assert code == 0
    rows = json.loads(told)["data"]
    names = {True: "human", False: "ai"}
    for (human, debate), (right, held, brier) in PAPER.items():
        kind = "debate" if debate else "consultancy"
        [row] = [
            each
            for each in rows
            if each["dataset"] == "QuALITY"
            and f"oversight-{kind}" in each["arm"]
            and f"advocates={names[human]}" in each["arm"]
        ]
        assert row["accuracy"]["n"] == held
        assert row["accuracy"]["mean"] == pytest.approx(right / held)
        assert round(row["brier"]["mean"], 3) == brier
