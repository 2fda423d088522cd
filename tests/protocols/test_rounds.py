"""No debate has more rounds than it is set to have, its last judgement included."""

import pytest

from moot.metrics.rounds import rounds
from support.debates import hold, says
from support.promises.table import HERE, PROMISES
from support.prompts import assert_lacks, requests

SET = [name for name in HERE if "rounds" in PROMISES[name].grid]


@pytest.mark.parametrize("most", [1, pytest.param(2, marks=pytest.mark.soak), 3])
@pytest.mark.parametrize("name", SET)
async def test_no_debate_has_more_rounds_than_it_may(name, most, store):
    least, greatest = PROMISES[name].grid["rounds"]
    if not least <= most <= greatest:
        pytest.skip("not a number of rounds that it takes")
    held = await hold(name, lambda call: says(call, ends=10**9), store, rounds=most)
    assert held.failed is None
    assert 1 <= rounds(held) <= most


ALONE = [name for name in SET if name.startswith(("chateval", "society-of-minds"))]


@pytest.mark.parametrize("agreement", [None, 80])
@pytest.mark.parametrize("name", [name for name in ALONE if name != "chateval-scored"])
async def test_an_agent_alone_is_told_of_no_other_and_checks_itself(name, agreement, store):
    sent = await requests(name, store, rounds=3, agents=1, agreement=agreement)
    for each in sent:
        lacks = (r"\bothers?\b", "agents", "debaters (in|have)", "% of cases", "advice")
        assert_lacks(each.text, *lacks)
    last = sent.of(round=3)
    assert all("Check that your answer" in each.prompt for each in last)
