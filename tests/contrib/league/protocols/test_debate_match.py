"""One debate on a motion: what jurors are shown, who judges whom, and who wins."""

import msgspec
import pytest

import moot
from moot.contrib.league.match_ruling import MatchRuling
from moot.core.errors import InputError
from moot.core.questions import Question
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import hold

MOTION = Question(id="m", kind="text", text="Homework should be abolished")
MATCH = registry.get("debate-match")


def jurors(*rulings):
    """A script: speeches that say whose they are, and these rulings of the jurors by seat."""

    def script(call):
        scene = call.scene
        if scene.step == "judge":
            said = rulings[call.draw.seat - 2]
            labels = dict(zip(scene.others, scene.labels, strict=True))
            winner = labels.get(said[0], said[0])
            return f'{{"winner": "{winner}", "margin": {said[1]}}}'
        return f"{scene.agent} says {scene.step} {scene.round}."

    return script


async def test_a_juror_reads_no_model_and_no_side_by_its_role(store):
    asked = {}

    def script(call):
        asked[call.scene.agent] = call.messages[-1].content
        return jurors(*[("PRO", 1)] * 9)(call)

    transcript = await hold("debate-match", script, store, question=MOTION, jurors=9)
    firsts = set()
    for turn in transcript.turns[10:]:
        shown = asked[turn.agent]
        assert "PRO" not in shown
        assert transcript.opened.settings["model"] not in shown
        labels = [line for line in shown.splitlines() if line.endswith("(opening):")]
        assert labels == ["A (opening):", "B (opening):"]
        first = turn.reading.first
        stands = "for" if first == "PRO" else "against"
        assert f"Side A argues {stands} the motion" in shown
        own = "pro" if first == "PRO" else "con"
        assert f"A (opening):\n{own} says opening 1." in shown
        firsts.add(first)
    assert firsts == {"PRO", "CON"}


@pytest.mark.parametrize(
    ("rulings", "answer", "scores"),
    [
        ((("PRO", 3), ("PRO", 1), ("CON", 2)), "PRO", {"PRO": 1.333333, "CON": 0.666667}),
        ((("PRO", 1), ("PRO", 1), ("CON", 4)), "CON", {"CON": 1.333333, "PRO": 0.666667}),
        ((("PRO", 2), ("CON", 2), ("tie", 0)), "tie", {"PRO": 0.666667, "CON": 0.666667}),
        ((("PRO", 2), ("nobody", 2), ("tie", 0)), "PRO", {"PRO": 1.0, "CON": 0.0}),
    ],
)
async def test_the_mean_margin_decides(rulings, answer, scores, store):
    transcript = await hold("debate-match", jurors(*rulings), store, question=MOTION)
    assert transcript.verdict.answer == answer
    assert transcript.verdict.scores == scores
    [counted] = [note for note in transcript.notes if note.what == "count"]
    unread = sum(each[0] == "nobody" for each in rulings)
    assert counted.reading.ballots == 3 - unread
    assert ("1 of 3 rulings cannot be read" in counted.why) == bool(unread)


async def test_the_side_for_a_question_is_the_answer_true_and_without_rulings_nobody_won(store):
    asked = Question(id="q", kind="boolean", text="Is the earth round?", answer="true")
    for winner, answer in (("PRO", "true"), ("CON", "false"), ("tie", None)):
        speaks = Scripted(jurors((winner, 1)), name=winner)
        transcript = await hold("debate-match", speaks, store, question=asked, jurors=1)
        assert transcript.verdict.answer == answer
    transcript = await hold("debate-match", lambda _: "Well.", store, question=MOTION)
    assert transcript.verdict.answer is None
    assert "no ruling can be read" in transcript.verdict.by


def test_agents_without_a_role_are_swapped_too_and_two_of_one_kind_are_not():
    models = [{"model": f"m/{name}"} for name in "xyj"]
    settings = MATCH.check({"agents": models, "swapped": True})
    assert settings["cast"] == [
        {"role": "con", "model": "m/x"},
        {"role": "pro", "model": "m/y"},
        {"model": "m/j"},
    ]
    assert MATCH.check(settings) == settings
    with pytest.raises(InputError, match="both sides are the same agent"):
        MATCH.check({"agents": [{"role": "juror", "model": "m/j"}], "swapped": True})


async def test_a_juror_of_a_debaters_family_does_not_judge(tmp_path):
    cast = [
        {"role": "pro", "model": "simulated/llama-a"},
        {"role": "con", "model": "simulated/qwen-b"},
        *({"model": f"simulated/{name}"} for name in ("llama-c", "gemma-d", "qwen-e")),
    ]
    debated = await moot.ask(MOTION.text, protocol="debate-match", store=tmp_path, agents=cast)
    judged = [turn.agent for turn in debated.transcript.turns if turn.step == "judge"]
    assert judged == ["juror-2"]
    told = {note.agents: note.why for note in debated.transcript.notes if note.what == "kept"}
    assert told == {
        ("juror-1",): "of the model family of pro, llama",
        ("juror-3",): "of the model family of con, qwen",
    }


async def test_a_question_that_is_no_motion_is_refused_before_any_call(tmp_path):
    study = {
        "name": "sums",
        "datasets": [{"name": "arithmetic", "n": 1}],
        "arms": [{"protocol": "debate-match", "model": "simulated/x"}],
    }
    with pytest.raises(InputError, match="debate-match debates motions"):
        await moot.run(study, store=tmp_path)
    assert MATCH.count(MATCH.check({})) == (11, 13)
    assert MATCH.count(MATCH.check({"excludes_family": False, "jurors": 5})) == (15, 15)


async def test_what_a_debater_claims_to_be_a_ruling_is_none(store):
    def script(call):
        if call.scene.step == "judge":
            return '{"winner": "tie"}'
        return '{"winner": "A", "margin": 5}'

    transcript = await hold("debate-match", script, store, question=MOTION)
    assert transcript.verdict.answer == "tie"
    read = [turn.reading for turn in transcript.turns if isinstance(turn.reading, MatchRuling)]
    assert len(read) == 3
    assert msgspec.to_builtins(read[0])["kind"] == "match-ruling"
