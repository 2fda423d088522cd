"""Who read whom: what a log says, else replies that stand in prompts."""

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
)
from moot.contrib.imports.who_read import TurnReads, find_reads

ONE, TWO = "I take it that the answer is 4.", "On the whole it should\nbe  5, I think."


def reads(*turns):
    agents = tuple(LoggedAgent(name=name) for name in dict.fromkeys(each.agent for each in turns))
    question = LoggedQuestion(text="2 + 2?")
    return find_reads(LoggedDebate(id="q", question=question, agents=agents, turns=turns))


def said(agent, text, *prompt, shown=None):
    messages = tuple(LoggedMessage(role="user", content=each) for each in prompt)
    return LoggedTurn(agent=agent, text=text, prompt=messages, reads=shown)


def test_replies_that_stand_in_a_prompt_were_read():
    found = reads(
        said("A", ONE, "2 + 2?"),
        said("B", TWO, "2 + 2?"),
        said("A", "So be it: 4.", f"Others said: ```{TWO.replace(chr(10), ' ')}``` And you?"),
        said("C", "All in all: 4.", f"{ONE} and {TWO}"),
    )
    assert found == [TurnReads(()), TurnReads(()), TurnReads((1, 2)), TurnReads((1, 2))]


def test_a_conversation_keeps_what_was_shown_before():
    found = reads(
        said("A", ONE, "2 + 2?"),
        said("B", TWO, f"2 + 2? A says: {ONE}"),
        said("B", "I stay with five, I think.", "Are you sure?"),
    )
    assert found[2] == TurnReads((1, 2))


def test_what_a_log_states_counts():
    found = reads(
        said("A", ONE, "2 + 2?"),
        said("B", TWO, f"2 + 2? {ONE}", shown=()),
        said("A", "Well then: four.", shown=(2, 1, 2)),
    )
    assert found == [TurnReads(()), TurnReads(()), TurnReads((1, 2))]


def test_without_a_prompt_it_is_unknown():
    assert reads(said("A", ONE), said("B", TWO)) == [
        TurnReads((), is_known=True),
        TurnReads((), is_known=False),
    ]


def test_equal_replies_are_shown_as_often_as_they_stand_there():
    found = reads(
        said("A", ONE, "2 + 2?"),
        said("B", ONE, "2 + 2?"),
        said("C", "So be it, then.", f"One said: {ONE}"),
        said("D", "So be it, twice.", f"One said: {ONE} Another said: {ONE}"),
    )
    assert found[2:] == [TurnReads((2,)), TurnReads((1, 2))]


def test_a_short_reply_stands_anywhere():
    assert reads(said("A", "4", "2 + 2?"), said("B", TWO, "What is 2 + 2 in 4 words?"))[1] == (
        TurnReads(())
    )
