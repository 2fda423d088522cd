"""What is said beside a cap: before a run, and at its end."""

import json
import re

import pytest

from support.commands import FOUR, STUDY

CAPPED = STUDY + "[budget]\ntokens = 2000\ncalls = 100\n"


def test_a_plan_says_by_how_much_a_cap_can_be_exceeded(moot, tmp_path):
    (tmp_path / "capped.toml").write_text(CAPPED)
    code, out, _ = moot("run", "capped.toml", "--dry-run")
    said = " ".join(out.split())
    assert code == 0
    assert "cap 100 calls; holds exactly" in said
    more = r"cap 2,000 tokens; more only by the [\d,]+ replies in flight, whose length"
    assert re.search(more, said)
    assert "the first reply may already exceed a cap" in said
    caps = json.loads(moot("run", "capped.toml", "--dry-run", "--json")[1])["caps"]
    assert [cap["of"] for cap in caps["caps"]] == ["calls", "tokens"]
    assert caps["first_exceeds"]
    text = CAPPED.replace("[settings]", "[settings]\nmax_tokens = 60")
    (tmp_path / "capped.toml").write_text(text)
    said = " ".join(moot("run", "capped.toml", "--dry-run")[1].split())
    assert "replies in flight cannot exceed it" in said
    assert "first reply" not in said


def test_a_run_that_a_cap_stops_says_how_far_it_is_used_and_a_plan_knows_its_replies(
    moot, tmp_path
):
    (tmp_path / "capped.toml").write_text(CAPPED)
    code, out, _ = moot("run", "capped.toml")
    said = " ".join(out.split())
    assert code == 3
    assert re.search(r"cap 2,000 tokens: 1,\d\d\d spent", said)
    (of_calls, of_tokens) = json.loads(moot("run", "capped.toml", "--json")[1])["caps"]
    assert 1000 < of_tokens["spent"] <= 2000
    assert 0 < of_calls["spent"] < 100
    again = " ".join(moot("run", "capped.toml", "--dry-run")[1].split())
    assert "tokens are usual" in again
    assert "the first reply may already exceed a cap" not in again


@pytest.mark.parametrize("more", [(), ("--set", "max_tokens=50")])
def test_ask_says_that_replies_in_flight_can_exceed_a_cap(moot, more):
    options = ("--model", FOUR, "--max-total-tokens", "50000", *more)
    code, _, err = moot("ask", "2 + 2?", *options)
    assert code == 0
    assert ("those in flight can exceed it" in " ".join(err.split())) == (not more)
