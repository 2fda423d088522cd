"""What the paper of a protocol has its prompts say, in which order, and what they do not say."""

import pytest

from support.debates import SUM, says
from support.prompts import assert_lacks, assert_order, requests

Q = SUM.text
KEYS = ("Whether there is a preference", "Supported Side", "Reason", "debate_answer")


def numbered(call):
    """Words that say whose they are; where a form is asked for, a judge who leaves it open."""
    form = says(call, ends=10**9)
    kept = form.startswith("{") or "Decision:" in form
    return form if kept else f"<{call.scene.agent} in {call.scene.round}>"


CONVEYED = [  # protocol, settings, whose, what it says in this order, what it does not say
    ("society-of-minds", {}, {"step": "revise"},
     ("solutions of the other agents", "<mind", "in {before}>", "as advice and weigh",
      "updated answer", Q, "Final answer:"), ("<{agent} in {before}", "summary")),
    ("society-of-minds", {"summary": True}, {"step": "revise-by-summary"},
     ("summary", "yours among them", "<summariser in {before}>", "as advice", Q), ("<mind",)),
    ("society-of-minds", {"agents": 1}, {"round": 2}, ("Check that your answer", Q), ("others",)),
    ("chateval", {"agents": 2}, {"round": 3}, ("<debater-1 in 2>", Q, "Final answer:"), ("weigh",)),
    ("multi-persona", {}, {"step": "oppose"},
     ("<affirmative in {round}>", "You disagree with my answer", "reasons", "Final answer:"),
     ("affirmative side", "negative side", "wrong")),
    ("multi-persona", {}, {"step": "reply"},
     ("<negative in {before}>", "advice", "updated answer", "Final answer:"), ("agree", "side")),
    ("multi-persona", {}, {"step": "weigh"},
     ("<affirmative in {round}>", "<negative in {round}>", "clearly prefer", "debate then ends",
      *(f'"{key}": ' for key in KEYS)), ("empty", "blank", "no answer")),
    ("debate-moderated", {}, {"step": "reply"},
     (" in ", "Do you agree", "how I see it", "reasons"), ("you disagree", "do not share")),
    ("debate-moderated", {}, {"role": "moderator"},
     ("Round {round} of the debate has ended", "Affirmative side:\n<aff", "Negative side:\n<neg",
      "clearly to be preferred", "ends", "next round", *KEYS), ("leave .* empty",)),
    ("consultancy", {}, {"role": "consultant"},
     ("Round {round} of the consultancy begins", "missing details", "unclear points", "feedback",
      "what to change", "accurate and satisfactory?", "Reason", "final_answer"),
     ("answer you hold", "your own answer", "right answer")),
    ("agentverse", {}, {"step": "criticise"},
     ("solution so far", "Check it", "right and what is wrong",
      "solve the question yourself, step by step", "Improved"), (r"\"Final answer:\"",)),
    ("chateval-scored", {}, {"step": "conclude"},
     ("This is the last round", '"Answer:"', "reason", "800 characters",
      "score the answers of round 2", "from 1 to 10", "General Public, Critic and Scientist"),
     (r"Agent (Critic|Scientist|General Public)", r"Z\w*: ?\d", r": \d", "final answer:")),
    ("multi-persona-proposals", {}, {"role": "negative"},
     ("<affirmative in {round}>", "criticise", "vague", "missing", "sharper", "detailed", Q,
      "Proposed Answer:"), ("final answer:", "fiction")),
    ("multi-persona-proposals", {}, {"step": "close"},
     ("last round", "Do not refuse", "reasons", '"Final Answer:"'), ("to be explored",)),
    ("community", {}, {"role": "member"},
     ("You are Agent", "fewer than 50 words", '"answer": "", "reason": ""'),
     ("step by step", "Final answer", "other groups")),
    ("exchange-of-thought", {}, {"agent": "kitty", "step": "review"},
     (Q, "Peter", "<peter in {before}>", "First give your own solution", "Final answer:",
      "review the solutions of your friends"), ("without comments",)),
    ("ensemble-refinement", {}, {"step": "refine"},
     ("Some of their reasonings may be right and some wrong", "best of the right arguments",
      *(f"Reasoning of student {n}:\n<reasoner-{n}" for n in (1, 2, 3)), Q), ("at least one",)),
    ("self-consistency", {"aggregate": True}, {"role": "aggregator"},
     ("several possible answers", Q, "<sampler-1", "<sampler-2", "Analyse", "Final answer:"), ()),
    ("self-consistency", {}, {"role": "sampler"}, (Q, "step by step"), ("other", "agent")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "whose", "order", "lacks"), CONVEYED)
async def test_a_prompt_conveys_what_its_paper_says(name, given, whose, order, lacks, store):
    rounds = {} if name in {"ensemble-refinement", "self-consistency"} else {"rounds": 3}
    sent = await requests(name, store, numbered, **rounds, **given)
    for each in sent.of(**whose):
        told = {"agent": each.agent, "round": each.round, "before": each.round - 1}
        assert_order(each.prompt, *(words.format(**told) for words in order))
        assert_lacks(each.prompt, *(words.format(**told) for words in lacks))
