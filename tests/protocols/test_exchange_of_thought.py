"""Exchange of thought: when it ends, who leaves, what confidence is shown, and what prompts say."""

from difflib import SequenceMatcher
from itertools import count

import pytest

from moot.core.errors import InputError
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from support.debates import KINDS, SUM, hold
from support.prompts import assert_lacks, assert_order, requests

PICK = KINDS[2]
"""A choice: replies to it differ in one letter alone."""
PROTOCOL = registry.get("exchange-of-thought")
TOPOLOGIES = ["debate", "memory", "report", "relay"]


NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""


def answering(replies):
    """A model: by agent, the reply of each round, the last one again when they are used up."""

    def script(call):
        own = replies[call.scene.agent]
        return own[min(call.scene.round, len(own)) - 1]

    return Scripted(script, name=f"answering-{next(NAMES)}")


ROUND = ["kitty", "peter", "ben"]


async def test_leaves_of_different_answers_go_on_however_alike_their_words(store):
    replies = {
        "kitty": ["The option is (A). Final answer: A", "The option is (B). Final answer: B"],
        "peter": ["The option is (B). Final answer: B", "The option is (A). Final answer: A"],
        "ben": ["The option is (A). Final answer: A"],
    }
    held = await hold("exchange-of-thought", answering(replies), store, question=PICK, rounds=2)
    assert [turn.agent for turn in held.turns] == ROUND * 2


async def test_leaves_of_one_answer_end_it_however_unlike_their_words_and_ben_decides(store):
    replies = {
        "kitty": ["By counting on my fingers I come from two to four. Final answer: 4"],
        "peter": ["A square has twice two sides! Final answer: 4.0"],
        "ben": ["I believe neither. Final answer: 5"],
    }
    held = await hold("exchange-of-thought", answering(replies), store)
    assert [turn.agent for turn in held.turns] == ROUND
    assert (held.verdict.answer, held.verdict.by) == ("5", "ben")


@pytest.mark.parametrize("lost", ["kitty", "peter", "both"])
async def test_without_two_answers_the_words_decide(lost, store):
    alike = "I cannot tell what two and two make, since nobody has told me what they are"
    unlike = {"kitty": "Hm.", "peter": "I would rather talk about squares and circles."}
    for texts, rounds in (({"kitty": alike + "!", "peter": alike}, 1), (unlike, 2)):
        replies = {name: [text] for name, text in texts.items()} | {"ben": ["Final answer: 4"]}
        if lost == "peter":
            replies["kitty"] = [f"{texts['kitty']}. Final answer: 4"]
        elif lost == "kitty":
            replies["peter"] = [f"{texts['peter']}. Final answer: 4"]
        given = {"rounds": 2, "end_above": 0.7}
        held = await hold("exchange-of-thought", answering(replies), store, **given)
        assert max(turn.round for turn in held.turns) == rounds


OPEN = type(PICK)(id="sky", kind="text", text="Why is the sky blue?")
LIGHT = "I have thought about it for long. Final answer: scattering of light"
LIGHTS = "Short waves are bent more, are they not? Final answer: scattering of lights"


async def test_open_answers_are_compared_as_texts_however_unlike_the_replies(store):
    replies = {"kitty": [LIGHT], "peter": [LIGHTS], "ben": ["Final answer: it scatters"]}
    held = await hold("exchange-of-thought", answering(replies), store, question=OPEN)
    assert [turn.agent for turn in held.turns] == ROUND
    assert SequenceMatcher(None, "scattering of light", "scattering of lights").ratio() > 0.85
    given = {"question": OPEN, "end_above": 1, "exit_above": 1}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert max(turn.round for turn in held.turns) > 1
    replies["peter"] = ["Final answer: an ocean that it mirrors", "Final answer: a trick of God"]
    held = await hold("exchange-of-thought", answering(replies), store, question=OPEN)
    assert max(turn.round for turn in held.turns) == 3


async def test_an_open_answer_that_hardly_changes_is_a_reason_to_leave(store):
    replies = {
        "kitty": [LIGHT, LIGHTS],
        "peter": [f"Final answer: {each}" for each in ("the sea", "dust in air", "ozone, I bet")],
        "ben": ["Final answer: it scatters"],
    }
    held = await hold("exchange-of-thought", answering(replies), store, question=OPEN, rounds=3)
    assert [turn.agent for turn in held.turns].count("kitty") == 2
    given = {"question": OPEN, "rounds": 3, "exit_above": 0.99}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert [turn.agent for turn in held.turns].count("kitty") == 3


async def test_numbers_that_are_near_never_end_it(store):
    replies = {
        "kitty": [f"I have counted to {n}. Final answer: {n}" for n in (12, 13, 12)],
        "peter": [f"I have counted to {n}. Final answer: {n}" for n in (13, 12, 13)],
        "ben": ["Final answer: 12"],
    }
    given = {"end_above": 0, "exit_above": 0}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert [turn.agent for turn in held.turns] == ROUND * 3
    held = await hold("exchange-of-thought", answering(replies), store, compare="replies", **given)
    assert [turn.agent for turn in held.turns] == ROUND


async def test_replies_are_compared_as_a_whole_where_that_is_set(store):
    replies = {"kitty": [LIGHT], "peter": [LIGHTS], "ben": ["Final answer: it scatters"]}
    given = {"question": OPEN, "compare": "replies"}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert max(turn.round for turn in held.turns) == 2  # until both have said the same twice


def test_what_is_compared_is_recorded_only_where_it_is_set():
    assert "compare" not in PROTOCOL.check({"compare": "answers"})
    assert PROTOCOL.check({"compare": "replies"})["compare"] == "replies"


async def test_replies_that_are_answers_as_a_whole_are_compared_as_texts(store):
    words = "Cats purr when they are content, and sometimes when they are in pain"
    replies = {"kitty": [f"{words}."], "peter": [f"{words}!"], "ben": ["Both say so."]}
    question = type(PICK)(id="cats", kind="text", text="Why do cats purr?")
    given = {"question": question, "style": "chat"}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert [turn.answer for turn in held.turns[:2]] == [f"{words}.", f"{words}!"]
    assert [turn.agent for turn in held.turns] == ROUND
    replies["peter"] = ["I have no idea.", "Something else."]
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert max(turn.round for turn in held.turns) == 3


async def test_with_the_last_answer_alone_in_mind_agents_see_what_the_code_shows(store):
    asked = await sent(store, topology="memory", rounds=3, memory="last")
    third = asked.one(agent="kitty", round=3)
    assert third.text.count("<kitty>") == 1
    assert third.text.count("<peter>") == third.text.count("<ben>") == 1
    assert (await sent(store, topology="memory", rounds=3)).one(agent="kitty", round=3).text.count(
        "<peter>"
    ) == 2


async def test_the_thresholds_are_settings_with_the_defaults_of_the_paper(store):
    checked = PROTOCOL.check({})
    assert (checked["end_above"], checked["exit_above"]) == (0.85, 0.9)
    with pytest.raises(InputError, match="end_above"):
        PROTOCOL.check({"end_above": 1.5})
    words = "I have counted them all twice and still do not know what it is"
    replies = {"kitty": [f"{words}, Peter."], "peter": [f"{words}, Kitty!"], "ben": ["Well."]}
    ends = {0.5: 1, 0.999: 2}
    for above, rounds in ends.items():
        given = {"rounds": 2, "end_above": above}
        held = await hold("exchange-of-thought", answering(replies), store, **given)
        assert max(turn.round for turn in held.turns) == rounds
    replies["peter"] = ["Something else.", f"{words} at all."]
    replies["kitty"] = [f"{words}, Peter.", f"{words}, Kitty.", "Other words."]
    for above, turns in {0.8: 2, 0.999: 4}.items():
        given = {"rounds": 4, "exit_above": above, "end_above": 1}
        held = await hold("exchange-of-thought", answering(replies), store, **given)
        assert [turn.agent for turn in held.turns].count("kitty") == turns


async def test_a_leaf_that_gives_one_answer_twice_leaves_and_the_others_go_on(store):
    replies = {
        "kitty": ["By counting. Final answer: A", "Peter has not shown it. Final answer: A"],
        "peter": ["So (B). Final answer: B", "So (A)? No, none. Final answer: none", "Hm. (B)."],
        "ben": ["Final answer: B"],
    }
    held = await hold("exchange-of-thought", answering(replies), store, question=PICK, rounds=4)
    agents = [turn.agent for turn in held.turns]
    assert agents.count("kitty") == 2
    assert agents.count("ben") == 4
    assert held.verdict.answer == "B"


async def test_a_leaf_that_changes_its_answer_in_the_same_words_stays(store):
    replies = {
        "kitty": [f"The option is ({x}). Final answer: {x}" for x in "ABA"],
        "peter": [f"The option is ({x}). Final answer: {x}" for x in "BAB"],
        "ben": ["Final answer: B"],
    }
    held = await hold("exchange-of-thought", answering(replies), store, question=PICK)
    assert [turn.agent for turn in held.turns] == ROUND * 3


@pytest.mark.parametrize("topology", TOPOLOGIES)
async def test_the_exchange_ends_when_both_leaves_have_left(topology, store):
    replies = {"kitty": ["Final answer: A"], "peter": ["Final answer: B"], "ben": ["So (A)."]}
    given = {"topology": topology, "stop": "similarity", "rounds": 8}
    held = await hold("exchange-of-thought", answering(replies), store, question=PICK, **given)
    assert [turn.agent for turn in held.turns] == ROUND * 2
    assert {turn.id for turn in held.turns[-3:-1]} <= {
        *held.turns[-1].reads
    } or topology != "debate"


async def test_ben_reads_the_leaf_that_leaves_last(store):
    replies = {
        "kitty": ["Final answer: A"],
        "peter": [f"Final answer: {each}" for each in "BDCC"],
        "ben": ["So (A)."],
    }
    held = await hold("exchange-of-thought", answering(replies), store, question=SIX, rounds=8)
    assert [turn.agent for turn in held.turns].count("kitty") == 2
    assert [(turn.agent, turn.round) for turn in held.turns][-2:] == [("peter", 4), ("ben", 4)]


@pytest.mark.parametrize("topology", ["memory", "report", "relay"])
async def test_outside_of_debate_one_answer_of_all_ends_it_before_any_exchange(topology, store):
    checked = PROTOCOL.check({"topology": topology})
    usual = {"stop": "consensus", "rounds": 6, "reply": "revise"}
    assert {name: checked[name] for name in usual} == usual
    assert PROTOCOL.check(checked) == checked
    held = await hold("exchange-of-thought", lambda _: "Final answer: 4", store, topology=topology)
    assert [turn.agent for turn in held.turns] == ROUND
    assert held.verdict.by == "majority"
    replies = {name: [f"Final answer: {number}"] for number, name in enumerate(ROUND)}
    held = await hold("exchange-of-thought", answering(replies), store, topology=topology)
    assert [turn.agent for turn in held.turns] == ROUND * 6
    assert (held.verdict.answer, held.verdict.by) == ("0", "majority")


@pytest.mark.parametrize("topology", ["memory", "report", "relay"])
async def test_ben_has_read_somebody_before_the_leaves_can_end_the_exchange(topology, store):
    given = {"topology": topology, "stop": "similarity"}
    held = await hold("exchange-of-thought", lambda _: "Final answer: 4", store, **given)
    assert [turn.agent for turn in held.turns] == ROUND * 2
    assert held.turns[-1].reads
    assert held.verdict.by == "ben"


def test_in_debate_the_settings_paper_governs():
    checked = PROTOCOL.check({})
    usual = {"topology": "debate", "stop": "similarity", "rounds": 3, "reply": "review"}
    assert {name: checked[name] for name in usual} == usual
    assert PROTOCOL.check({"rounds": 5, "reply": "revise"})["reply"] == "revise"


SIX = type(PICK)(id="six", kind="choice", text="Which?", choices=tuple("abcdef"), answer="B")
LETTERS = {"kitty": "ABBA", "peter": "BABA", "ben": "CDCD"}


def differing(call):
    """No two agents ever have one answer, and none has the same one twice in a row at first."""
    scene = call.scene
    return f"<{scene.agent}> Final answer: {LETTERS[scene.agent][scene.round - 1]}"


async def sent(store, replies=differing, **given):
    """Every request of one debate."""
    return await requests("exchange-of-thought", store, replies, question=SIX, **given)


async def test_confidence_is_shown_once_a_friend_has_given_two_answers_and_is_explained(store):
    replies = {
        "kitty": [f"Final answer: {x}" for x in "AABC"],
        "peter": [f"Final answer: {x}" for x in "BFDE"],
        "ben": ["Hm.", "Final answer: C", "Hm.", "Final answer: C"],
    }
    asked = await sent(
        store,
        lambda call: replies[call.scene.agent][call.scene.round - 1],
        topology="memory",
        rounds=4,
    )
    for each in asked.of(round=1) + asked.of(round=2):
        assert_lacks(each.text, "confidence")
    for each in (asked.one(agent="ben", round=3), asked.one(agent="ben", round=4)):
        assert_order(
            each.prompt,
            "Peter (confidence 0.",
            "Below 0.50 the solution is likely to be wrong",
            "with a high confidence it can be wrong, too",
        )
    ben = asked.one(agent="ben", round=3).prompt
    assert_order(ben, "Kitty (confidence 1.00):", "Peter (confidence 0.50):")
    assert "\nBen:\n" in asked.one(agent="kitty", round=3).prompt  # one of his replies is an answer
    last = asked.one(agent="peter", round=4).prompt
    assert "Kitty (confidence 0.67):" in last  # A, A, B: the most frequent, not the newest
    assert "\nBen:\n" in last  # his newest reply has no answer: no number that looks like doubt
    for each in asked:
        assert_lacks(each.prompt, r"confidence 0\.00")


async def test_in_debate_ben_is_shown_the_confidence_of_what_he_has_just_read(store):
    asked = await sent(store)
    for (agent, number), shown in {
        ("ben", 1): "Kitty:",
        ("ben", 2): "Kitty (confidence 0.50):",
        ("ben", 3): "Kitty (confidence 0.67):",
        ("kitty", 2): "Peter:",
        ("kitty", 3): "Peter (confidence 0.50):",
    }.items():
        assert f"\n{shown}\n" in asked.one(agent=agent, round=number).prompt


async def test_in_debate_leaves_solve_first_and_review_after_and_ben_brings_together(store):
    asked = await sent(store)
    for agent, other in (("kitty", "Peter"), ("peter", "Kitty")):
        for number in (2, 3):
            each = asked.one(agent=agent, round=number)
            for part in ("step by step", "review", "You need not agree"):
                assert part in each.system
            order = (
                "Which?",
                f"{other}",
                "First give your own solution",
                "step by step",
                "Final answer:",
            )
            assert_order(each.prompt, *order, "the letter", "review the solutions of your friends")
            assert_order(each.prompt, "review the solutions", "no such line again")
            assert_lacks(each.prompt, "without comments", f"<{agent}>", "<ben>")
    for number in (1, 2, 3):
        ben = asked.one(agent="ben", round=number)
        assert "brings the solutions of Kitty and Peter together" in ben.system
        assert_order(ben.prompt, "Which?", "Kitty", "Peter", "Review", "strong", "weak", "differ")
        assert_order(ben.prompt, "final answer", "explain why", "Final answer:")
        assert ("and the confidences" in ben.prompt) == (number > 1)
        assert_lacks(ben.text, "own solution", "need not agree", "without comments")


@pytest.mark.parametrize("style", ["chat", "concise"])
async def test_a_style_whose_whole_reply_has_a_form_leaves_no_room_for_a_review(style, store):
    question = type(PICK)(id="cats", kind="text", text="Why do cats purr?")
    given = {"question": question, "style": style, "exit_above": 1, "end_above": 1}
    asked = await requests(
        "exchange-of-thought", store, lambda call: f"<{call.scene.turn}>", **given
    )
    for each in asked.of(step="review"):
        assert_lacks(each.prompt, "final answer", "review")
        assert "without comments" in each.prompt


@pytest.mark.parametrize("topology", ["memory", "report", "relay"])
async def test_outside_of_debate_ben_solves_and_all_revise_without_comments(topology, store):
    asked = await sent(store, topology=topology, rounds=2)
    ben = asked.one(agent="ben", round=1)
    assert "solve it yourself" in ben.system
    assert_lacks(ben.text, "together", "friends say")
    for each in asked.of(round=2):
        assert_lacks(each.text, "review", "synthes")
        order = ("Your friends say", "own previous answer", "new solution step by step")
        assert_order(each.prompt, *order, "without comments", "Final answer:")
    for each in (await sent(store, topology=topology, rounds=2, reply="review")).of(round=2):
        assert_order(each.prompt, "First give your own solution", "Final answer:", "review")
        assert_lacks(each.prompt, "without comments")


@pytest.mark.parametrize("percent", [0, 30, 50, 80, 100])
async def test_agreement_takes_the_place_of_need_not_agree(percent, store):
    words = PROTOCOL.pack().agreement(percent)
    for topology in ("debate", "memory"):
        for each in await sent(store, topology=topology, rounds=2, agreement=percent):
            told = topology == "memory" or each.agent != "ben"
            assert each.system.count(words) == told
            assert words not in each.prompt
            assert_lacks(each.text, "need not agree", "critical")


@pytest.mark.parametrize(
    "reply",
    [
        "2 and 2 are 4.\nFinal answer: 4\nPeter's solution: he adds one too many and gets 5.",
        "Step 1: 2. Step 2: 4.\n\nFinal answer: 4\n\nReview: Peter says 5. He may count again.",
        "Final answer: 4\n\n**Review of Peter**: The answer 5 is wrong, since 2+3 = 5.",
        "**Final answer: 4**\n\nPeter's final answer: 5 is not right.",
        'So 2+2 is 4.\nFinal answer: 4\nPeter closes with "Final answer: 5". Wrong.',
        "Final answer: 4\n\nPeter:\nFinal answer: 5\nHe is wrong.",
    ],
)
async def test_a_solution_is_read_though_a_review_follows_it(reply, store):
    peter = "Final answer: 5"

    def script(call):
        if call.scene.agent != "kitty":
            return peter
        return reply if call.scene.round > 1 else "Final answer: 3"

    held = await hold("exchange-of-thought", script, store, question=SUM, rounds=2)
    [reviewed] = [turn.answer for turn in held.turns if turn.step == "review" and turn.seat == 0]
    assert reviewed == "4"


async def test_no_debate_of_a_simulated_population_stops_early_between_leaves_that_differ(store):
    model, stopped = Simulated(accuracy=0.5), 0
    for number in range(60):
        question = type(PICK)(
            id=f"q{number}", kind="choice", text=f"{number}?", choices=tuple("abcd"), answer="A"
        )
        held = await hold("exchange-of-thought", model, store, question=question)
        newest = {turn.agent: turn.answer for turn in held.turns}
        if max(turn.round for turn in held.turns) < 3:
            stopped += 1
            given = [[t.answer for t in held.turns if t.agent == who][-2:] for who in ROUND[:2]]
            assert newest["kitty"] == newest["peter"] or all(a == b for a, b in given)
    assert 0 < stopped < 60
