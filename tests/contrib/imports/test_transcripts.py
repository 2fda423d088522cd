"""Logged debates as transcripts: nothing is invented, and every text stays as it is."""

import msgspec
import pytest

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.logged_questions import QuestionKind
from moot.contrib.imports.transcripts import clean_settings, make_transcript
from moot.core.errors import DamagedError
from moot.core.events import Failed
from moot.parsing.standings import Standings
from moot.reports.event_words import describe_turn

NUMBER = QuestionKind("number")
AGENTS = (
    LoggedAgent(name="A", model="m-1"),
    LoggedAgent(name="B"),
    LoggedAgent(name="J", role="judge", answers=False),
)


def make(*turns, answer="4", found=NUMBER, agents=AGENTS, **more):
    debate = LoggedDebate(
        id="q",
        question=LoggedQuestion(text="2 + 2?", answer=answer),
        **{"agents": agents, "turns": turns, "place": "log.json, item 1", **more},
    )
    return make_transcript(debate, found, source="log.json")


def say(agent, text, **more):
    return LoggedTurn(agent=agent, text=text, **more)


def test_what_the_log_does_not_say_is_unknown():
    made = make(say("A", "The answer is 4."), say("B", "Final answer: 5"))
    opened, turns = made.transcript.opened, made.transcript.turns
    assert not opened.simulated
    assert opened.origin == "recorded elsewhere: log.json"
    assert opened.source.place == "log.json, item 1"
    assert [turn.model for turn in turns] == ["m-1", ""]
    assert [turn.answer for turn in turns] == ["4", "5"]
    for turn in turns:
        assert turn.prompt_tokens is turn.completion_tokens is turn.cost is turn.stated is None
        assert (turn.call, turn.reads, turn.round) == ("", (), 1)
    assert made.unknown_reads == 1


def test_what_the_log_says_stays():
    text = "  It's\u2028 4.\x00 \ud800"
    turn = say(
        "A",
        text,
        round=3,
        step="revise",
        answer="four",
        model="m-2",
        finish="length",
        thought="hm",
        prompt_tokens=7,
        completion_tokens=3,
        cost=0.5,
        seconds=1.5,
    )
    [told] = make(turn).transcript.turns
    assert told.text == text.replace("\ud800", "\ufffd")
    assert (told.round, told.step, told.stated, told.model) == (3, "revise", "four", "m-2")
    assert (told.finish, told.thought, told.seconds) == ("length", "hm", 1.5)
    assert (told.prompt_tokens, told.completion_tokens, told.cost) == (7, 3, 0.5)


def test_a_round_that_is_not_stated_is_counted():
    turns = [say(name, "4") for name in "ABAAB"]
    assert [turn.round for turn in make(*turns).transcript.turns] == [1, 1, 2, 3, 2]


def test_an_agent_may_adopt_what_it_read():
    asked = LoggedMessage(role="user", content="2 + 2? B says: I would say that it is 4.")
    made = make(say("B", "I would say that it is 4."), say("A", "I agree with B.", prompt=(asked,)))
    assert [turn.answer for turn in made.transcript.turns] == ["4", "4"]
    assert made.transcript.turns[1].reads == (1,)


def test_a_reply_without_a_vote_has_no_answer():
    made = make(say("A", "4"), say("A", "In sum: 5", votes=False), say("J", "The answer is 4."))
    assert [turn.answer for turn in made.transcript.turns] == ["4", None, "4"]
    assert [seat.debater for seat in made.transcript.seats] == [True, True, False]


VERDICTS = [
    (None, "5", "majority", 2),
    (LoggedVerdict(answer="#### 4"), "4", "the log", None),
    (LoggedVerdict(answer="J says: the answer is 4.", by="J", turn=4), "4", "J", 4),
    (LoggedVerdict(turn=1), "4", "the log", 1),
    (LoggedVerdict(text="So it is 7."), "7", "the log", None),
    (LoggedVerdict(by="nobody"), "5", "majority", 2),
    (LoggedVerdict(answer="none at all"), None, "the log", None),
]


@pytest.mark.parametrize(("stated", "answer", "by", "turn"), VERDICTS)
def test_the_verdict_is_the_logs_else_a_vote(stated, answer, by, turn):
    turns = say("A", "4"), say("B", "5"), say("A", "Well, 5"), say("J", "4 it is")
    verdict = make(*turns, verdict=stated).transcript.verdict
    assert (verdict.answer, verdict.by, verdict.turn) == (answer, by, turn)
    assert verdict.text == {1: "4", 2: "5", 4: "4 it is"}.get(turn, verdict.text)


def test_a_tie_goes_to_the_agent_that_spoke_first():
    assert make(say("B", "5"), say("A", "4")).transcript.verdict.answer == "5"


def test_what_the_log_counts_is_kept_raw():
    made = make(
        say("A", "4"),
        answer="Two and two.\n#### 4",
        verdict=LoggedVerdict(answer="4", correct=True),
        labels={"judged": {"by": "J", "score": 0.5}},
    )
    source = made.transcript.opened.source
    assert (source.answer, source.verdict, source.correct) == ("Two and two.\n#### 4", "4", True)
    assert source.labels == {"judged": {"by": "J", "score": 0.5}}
    assert made.transcript.question.answer == "4"


def test_an_error_of_the_log_is_a_failure():
    end = make(say("A", "4"), error="rate limit").transcript.failed
    assert end == Failed(kind="failed", reason="rate limit")


def test_a_reading_is_one_of_moots():
    reading = {"kind": "standings", "scores": {"4": 0.9, "5": 0.1}}
    [turn] = make(say("J", "A leads", reading=reading)).transcript.turns
    assert turn.reading == Standings(scores={"4": 0.9, "5": 0.1})


def test_settings_that_mean_something_else_here_are_renamed():
    given = {"rounds": 2, "agents": "three", "nodes": 4, "cast": ["x"], "model": "m", "temp": 0.5}
    assert clean_settings(given) == {
        "rounds": 2,
        "log_agents": "three",
        "log_nodes": 4,
        "model": "m",
        "temp": 0.5,
    }


def test_moots_own_events_stand_verbatim():
    held = make(say("A", "4")).transcript
    events = msgspec.to_builtins(held.events)
    again = make(say("B", "ignored"), moot={"events": events}).transcript
    assert again == held


@pytest.mark.parametrize("events", [[], [{"event": "closed"}], [{"event": "turn", "id": "x"}], 7])
def test_events_that_are_none_are_named(events):
    with pytest.raises(DamagedError, match=r"log\.json, item 1"):
        make(say("A", "4"), moot={"events": events})


def test_whom_a_turn_read_may_be_unknown():
    known, unknown = make(say("A", "4"), say("B", "5")).transcript.turns
    assert (known.reads_known, unknown.reads_known) == (True, False)
    assert "read nobody" in describe_turn(known)
    assert "whom it read is unknown" in describe_turn(unknown)
    assert "tokens unknown · cost unknown · time unknown" in describe_turn(unknown)
