"""What prompts convey, protocol by protocol, in which order, and what they do not say."""

import re

import pytest

from support.debates import KINDS, SUM, ruling, says
from support.prompts import assert_lacks, assert_order, requests

Q = SUM.text
KEYS = ("Whether there is a preference", "Supported Side", "Reason", "debate_answer")
CONCISE = '"answer": "", "reason": ""'
TOPIC = KINDS[-1]
ADVOCATES = [{"role": "affirmative", "persona": "left"}, {"role": "negative", "persona": "right"}]
NO_AIM = ("what both of you look for", "say so", "when you first speak")
CHANGES = "Feedback to Assistant for modifications"


def numbered(call):
    """Words that say whose they are; where a form is asked for, a judge who leaves it open."""
    form = says(call, ends=10**9)
    kept = form.startswith("{") or "Decision:" in form
    return form if kept else f"<{call.scene.agent} in {call.scene.round}>"


CONVEYED = [  # settings, whose, which part, what it says in this order, what it does not say
    ("society-of-minds", [
        ({}, {"step": "revise"}, "prompt",
         ("solutions of the other agents", "<mind", "in {before}>", "as advice and weigh",
          "updated answer", Q, "Final answer:"), ("<{agent} in", "summary")),
        ({}, {"step": "answer"}, "text", (Q,), ("other", "% of cases", "advice")),
        ({"summary": True}, {"step": "revise-by-summary"}, "prompt",
         ("summary", "yours among them", "<summariser in {before}>", "as advice and weigh",
          "updated answer", Q, "Final answer:"), ("<mind", "Summariser says", "have answered")),
        ({"summary": True}, {"step": "summarise"}, "prompt",
         (Q, *(f"<mind-{n} in {{round}}>" for n in (1, 2, 3)), "with care", "important points",
          "so far"), ("decide", "against", "<summariser")),
        ({"agents": 1}, {"round": 2}, "prompt",
         ("Check that your answer", "right", "again", Q), ()),
    ]),
    ("chateval", [
        ({"agents": 2}, {"round": 3}, "prompt", ("<debater-1 in 2>", Q, "Final answer:"),
         ("weigh", "agree")),
        ({}, {"role": "debater"}, "system",
         ("need not agree", "in everything", "right answer"), ()),
        ({"mode": "simultaneous", "summary": True}, {"step": "summarise", "round": 1}, "prompt",
         ("<debater-1 in 1>", "<debater-2 in 1>", "Sum up the main points"),
         ("your summary of", "up to date", "<summariser")),
        ({"mode": "simultaneous", "summary": True}, {"step": "summarise", "round": 2}, "prompt",
         ("Your summary of the debate up to here:", "<summariser in 1>", "<debater-1 in 2>",
          "<debater-2 in 2>", "up to date", "new replies"), ("Summariser:",)),
        ({"mode": "simultaneous", "summary": True}, {"step": "speak", "round": 3}, "prompt",
         ("<summariser in 2>", Q), ("<debater",)),
        ({"agents": 1, "summary": True}, {"step": "speak", "round": 2}, "prompt",
         ("A summary of what you have said", "Check"), ()),
        ({"agents": 1}, {"step": "speak", "round": 2}, "prompt", ("all of it your own",), ()),
    ]),
    ("multi-persona", [
        ({}, {"role": "affirmative"}, "system",
         ("need not agree with the other debater in everything", "right answer"), ()),
        ({}, {"step": "oppose"}, "prompt",
         ("<affirmative in {round}>", "You disagree with my answer", "reasons", "Final answer:"),
         ("affirmative side", "negative side", "wrong")),
        ({}, {"step": "reply"}, "prompt",
         ("<negative in {before}>", "advice", "updated answer", "Final answer:"),
         ("agree", "reasons", "side")),
        ({"replies": "agreement"}, {"step": "agree"}, "prompt",
         ("<negative in {before}>", "Do you agree", "reasons", "Final answer:"), ("advice",)),
        ({}, {"step": "weigh"}, "prompt",
         ("<affirmative in {round}>", "<negative in {round}>", "clearly prefer", "debate then ends",
          "next round", '"Whether there is a preference": "Yes or No"', '"Supported Side": ',
          '"Reason": ', '"debate_answer": "the number alone"'), ("empty", "blank", "no answer")),
        ({}, {"step": "decide"}, "prompt",
         ("<affirmative in 3>", "<negative in 3>", *(f'"{key}": ' for key in KEYS[1:])),
         ("Whether there is a preference", "next round", "empty")),
    ]),
    ("debate-moderated", [
        ({}, {"role": "affirmative"}, "system",
         ("debate", "debater", "need not fully agree", "right answer", Q),
         ("affirmative", "negative", "does not matter")),
        ({}, {"step": "oppose"}, "prompt",
         ("<affirmative in 1>", "You disagree with my answer", " Give", "reasons", "Final answer:"),
         ()),
        ({}, {"step": "reply"}, "prompt",
         (" in ", "Do you agree", "how I see it", " Give", "reasons", "Final answer:"),
         ("you disagree", "do not share", "wrong")),
        ({}, {"role": "moderator"}, "prompt",
         ("Round {round} of the debate has ended", "Affirmative side:\n<aff",
          "Negative side:\n<neg", "clearly to be preferred", "final answer", "ends", "next round",
          "nothing else", *KEYS), ("leave .* empty",)),
        ({}, {"role": "moderator"}, "system", ("moderate", "two debaters", "each round", Q), ()),
        ({}, {"role": "judge"}, "system", ("moderate", "two debaters", "each round", Q), ()),
        ({}, {"step": "candidates"}, "prompt",
         ("Affirmative side:", "Negative side:", "without reasons"), ()),
        ({}, {"step": "conclude"}, "prompt",
         (Q, "reasons", "final answer", '"Reason"', '"debate_answer"'), ("side",)),
        ({"names_side": True}, {"step": "support"}, "prompt",
         (Q, "reasons", "final answer", '"Reason"', '"Supported Side"', '"debate_answer"'), ()),
        ({"question": TOPIC, "agents": ADVOCATES}, {"role": "affirmative"}, "system",
         ("left-wing debater", "progressive", "inclusive", "justice", "make the case"), NO_AIM),
        ({"question": TOPIC, "agents": ADVOCATES}, {"role": "negative"}, "system",
         ("conservative", "responsibility", "tradition", "limited government", "free market",
          "sovereignty", "make the case"), NO_AIM),
    ]),
    ("consultancy", [
        ({}, {"role": "consultant"}, "prompt",
         ("Round {round} of the consultancy begins", "missing details", "unclear points",
          "feedback", "what to change", "accurate and satisfactory?", "Reason", CHANGES,
          "final_answer"), ("answer you hold", "your own answer", "right answer")),
        ({}, {"role": "consultant"}, "system",
         ("complete", "accurate", "clear", "constructive", Q), ()),
        ({}, {"role": "primary"}, "system",
         ("primary decision-maker", "each round", "feedback", "better than the one"), ()),
    ]),
    ("agentverse", [
        ({"experts": 3}, {"step": "recruit"}, "prompt",
         (Q, "exactly 3", "directly", "without reasons", "The form", '"experts": ["a botanist'),
         ()),
        ({"experts": 1}, {"step": "recruit"}, "prompt",
         ("Which expert is", "Name exactly one", '"experts"'),
         ("1 expert", "exactly 1", "each from")),
        ({}, {"step": "criticise"}, "prompt",
         ("solution so far", "Check it", "right and what is wrong",
          "solve the question yourself, step by step", "Improved"), (r"\"Final answer:\"",)),
        ({}, {"step": "improve"}, "prompt",
         ("The experts say", "evaluator advises", "correct solution, with your reasoning",
          "Final answer:"), ()),
        ({"experts": 1}, {"step": "improve"}, "prompt", ("The expert says of your solution",), ()),
        ({}, {"step": "evaluate"}, "prompt",
         ("solution of the group", "says of it", "1 if it is and 0 if it is not", "advise",
          "without the answer", '"Correctness"', '"Response"', '"Final Answer"'), ()),
    ]),
    ("chateval-scored", [
        ({}, {"step": "conclude"}, "prompt",
         ("This is the last round", '"Answer:"', "conclusive", "(the number alone)", "reason",
          "800 characters", "score the answers of round 2", "from 1 to 10",
          "General Public, Critic and Scientist", "Round X - Agent Y: Z"),
         (r"Agent (Critic|Scientist|General Public)", r"Z\w*: ?\d", r": \d",
          'in one line "Answer', "final answer:")),
        ({}, {"role": "general-public", "step": "react"}, "text",
         ("immediate thoughts and feelings", Q), ("step by step", "close with")),
        ({}, {"role": "critic", "step": "discuss"}, "text",
         ("challenge", "point out what is wrong", "improve", "precise", "step by step",
          "General Public (round 1)", "precise", "deep"), ("close with",)),
        ({}, {"role": "scientist", "step": "discuss"}, "text",
         ("analyse", "counter", "evidence", "sum up by logic and evidence", "Critic (round 1)",
          "logical", "evidence"), ("close with",)),
        ({"style": "simple"}, {"step": "discuss"}, "prompt",
         ("You need not settle on an answer yet.", "It is your turn"),
         ("at once", "without reasons", "nothing else")),
    ]),
    ("multi-persona-proposals", [
        ({}, {"role": "negative"}, "prompt",
         ("<affirmative in {round}>", "criticise", "vague", "missing", "sharper", "detailed", Q,
          "Proposed Answer:", "the number alone"), ("final answer:", "fiction")),
        ({}, {"role": "affirmative", "round": 1}, "prompt",
         (Q, "Proposed Answer:", "even if you are not sure"), ("debate so far", "final answer:")),
        ({}, {"role": "affirmative", "round": 3}, "prompt",
         ("<affirmative in 2>", "<negative in 2>", "Judge:", "support", Q, "Proposed Answer:"),
         ("final answer:",)),
        ({"style": "simple"}, {"role": "affirmative"}, "prompt", (Q, "Proposed Answer:"),
         ("at once", "without reasons", "nothing else")),
        ({}, {"step": "weigh"}, "text",
         ("impartially", "never refuse to answer", Q, "<affirmative in 1>", "<negative in 1>",
          'Decision: The correct answer is"', "Decision: Continue debate."), ("last round",)),
        ({}, {"step": "close"}, "prompt",
         ("last round", "both sides have proposed", "Do not refuse", "reasons", '"Final Answer:"'),
         ("to be explored",)),
    ]),
    ("community", [
        ({"agents": 3}, {"role": "member"}, "text",
         ("knowledgeable and logical", "structured debate", "constructively and accurately",
          "your own answer", "why it is", Q, "You are Agent", "fewer than 50 words", CONCISE),
         ("step by step", "Final answer", "politeness", "other groups")),
        ({}, {"role": "judge"}, "text",
         ("neutral, logical and without bias", "strong", "accurate", "coherent",
          "most convincing reasoning", "Choose one of the responses", "not what you know besides",
          Q, "Choose one of the responses", "fewer than 50 words", CONCISE),
         ("step by step", "groups")),
        ({"style": "cot"}, {"role": "member"}, "prompt", ("step by step", '"Final answer:"'),
         ("fewer than 50", "JSON")),
        ({"style": "chat", "question": TOPIC}, {"role": "member"}, "text",
         ("hink critically", "not a word about other agents"), ("criticise",)),
    ]),
    ("network", [
        ({}, {"agent": "judge"}, "text",
         ("neutral, logical and without bias", "most convincing reasoning",
          "Choose one of the responses", "not what you know besides", CONCISE), ("groups",)),
    ]),
    ("exchange-of-thought", [
        ({}, {"agent": "kitty", "step": "review"}, "text",
         ("step by step", "review", "You need not agree", Q, "Peter", "<peter in {before}>",
          "First give your own solution", "step by step", "Final answer:",
          "review the solutions of your friends", "no such line again"), ("without comments",)),
        ({}, {"agent": "ben"}, "text",
         ("brings the solutions of Kitty and Peter together", Q, "Kitty", "Peter", "Review",
          "strong", "weak", "differ", "final answer", "explain why", "Final answer:"),
         ("own solution", "need not agree", "without comments")),
        ({"topology": "memory"}, {"agent": "ben", "round": 1}, "text", ("solve it yourself",),
         ("together", "friends say")),
        ({"topology": "relay"}, {"round": 2}, "prompt",
         ("Your friends say", "own previous answer", "new solution step by step",
          "without comments", "Final answer:"), ("review", "synthes")),
        ({"topology": "report", "reply": "review"}, {"round": 2}, "prompt",
         ("First give your own solution", "Final answer:", "review"), ("without comments",)),
        ({"style": "chat", "question": TOPIC, "end_above": 1, "exit_above": 1},
         {"step": "review"}, "prompt", ("without comments",), ("final answer", "review")),
    ]),
    ("ensemble-refinement", [
        ({}, {"step": "refine"}, "prompt",
         ("Some of their reasonings may be right and some wrong", "best of the right arguments",
          "wrong reasoning", "do not repeat",
          *(f"Reasoning of student {n}:\n<reasoner-{n}" for n in (1, 2, 3)), Q, "step by step",
          "Final answer:"), ("not all of them", "came out", "at least one", "Answer at once")),
        ({"style": "simple"}, {"step": "refine"}, "prompt", (Q, "Answer at once"),
         ("step by step",)),
        ({"summarise_first": True}, {"step": "reason"}, "prompt",
         ("Begin with a summary of the information", Q, "step by step", "Final answer:"), ()),
        ({"summarise_first": True}, {"step": "refine"}, "prompt",
         (Q, "Begin with a summary of the information", "step by step", "Final answer:"), ()),
        ({"reasonings": 1, "aggregations": 1}, {"step": "refine"}, "prompt",
         ("may be right or wrong", "do not repeat", Q), ("several", "students", "some of")),
    ]),
    ("self-consistency", [
        ({"aggregate": True}, {"role": "aggregator"}, "prompt",
         ("several possible answers", Q, "<sampler-1", "<sampler-2", "Analyse",
          "most consistent and right", "Final answer:"), ()),
        ({"aggregate": True, "samples": 1}, {"role": "aggregator"}, "prompt", (Q,),
         ("several", "answers", "they", "most consistent")),
        ({}, {"role": "sampler"}, "text", (Q, "step by step", "Final answer:"),
         ("other", "agent", "student", "% of cases")),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "row"), [(name, row) for name, rows in CONVEYED for row in rows])
async def test_a_prompt_conveys_what_its_paper_says(name, row, store):
    given, whose, part, order, lacks = row
    rounds = {} if name in {"ensemble-refinement", "self-consistency"} else {"rounds": 3}
    sent = await requests(name, store, numbered, **rounds, **given)
    for each in sent.of(**whose):
        told = {"agent": each.agent, "round": each.round, "before": each.round - 1}
        text = getattr(each, part)
        assert_order(text, *(words.format(**told) if "{" in words else words for words in order))
        assert_lacks(text, *(words.format(**told) if "{" in words else words for words in lacks))


@pytest.mark.parametrize("agreement", [None, 0, 50, 100])
async def test_of_two_personas_nobody_is_asked_or_told_anything_twice(agreement, store):
    sent = await requests("multi-persona", store, rounds=3, agreement=agreement)
    for each in sent:
        assert each.text.count(SUM.text) == 1
    told = {"affirmative": "updated answer", "negative": "with my answer|my answer:"}
    told["judge"] = "prefer"
    for each in sent.of(round=3):
        *earlier, newest = (m.content for m in each.messages if m.role == "user")
        assert re.search(told[each.role], newest)
        for text in earlier[1:] if each.role == "affirmative" else earlier:
            assert_lacks(text, told[each.role], "JSON", "Close with")


@pytest.mark.parametrize("rounds", [1, 3])
async def test_the_last_judgement_reads_the_last_round_and_not_the_ruling_on_it(rounds, store):
    def script(call):
        if call.scene.reads_as == "ruling":
            return ruling().replace("said so", f"ruling {call.scene.round}")
        return says(call, ends=10**9)

    last = (await requests("multi-persona", store, script, rounds=rounds)).one(step="decide")
    assert last.round == rounds
    assert f"ruling {rounds}" not in last.text
    assert all(f"ruling {number}" in last.text for number in range(1, rounds))
    assert last.text.count("I am affirmative.") == rounds


@pytest.mark.parametrize("exchange", ["simultaneous", "sequential"])
async def test_what_an_agent_remembers_is_all_or_its_last_answer(exchange, store):
    given = {"rounds": 3, "exchange": exchange}
    whole = await requests("society-of-minds", store, numbered, **given)
    last = await requests("society-of-minds", store, numbered, memory="last", **given)
    for each in whole.of(round=3):
        assert [m.role for m in each.messages] == ["user", "assistant"] * 2 + ["user"]
        assert all(f"<{each.agent} in {n}>" in each.text for n in (1, 2))
    for each in last.of(round=3):
        question, own, newest = each.messages
        assert [question.role, own.role, newest.role] == ["user", "assistant", "user"]
        assert SUM.text in question.content
        assert_lacks(question.content, "solutions of the other")
        assert own.content.startswith(f"<{each.agent} in 2>")
        assert f"<{each.agent} in 1>" not in each.text
    assert whole.of(round=2) == last.of(round=2)
