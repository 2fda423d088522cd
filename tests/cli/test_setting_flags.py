"""Settings as options of their names."""

import json

import pytest

from moot.cli.ask import ask
from support.commands import FOUR

ASKED = ["ask", "2 + 2?", "--kind", "number", "--model", FOUR, "--json"]


def test_a_setting_may_be_an_option(moot):
    same = json.loads(moot(*ASKED, "--set", "agents=2", "--set", "rounds=1")[1])["settings"]
    assert (same["agents"], same["rounds"]) == (2, 1)
    for flags in (["--agents", "2", "--rounds", "1"], ["--agents=2", "--rounds=1"]):
        assert json.loads(moot(*ASKED, *flags)[1])["settings"] == same
    code, out, _ = moot(*ASKED[:1], *ASKED[2:], "--", "--agents 2?")  # no option behind two hyphens
    assert code == 0
    assert json.loads(out)["settings"]["agents"] == 3


@pytest.mark.parametrize(
    ("flags", "chair"), [(["--no-chair"], False), (["--chair"], True), (["--chair=false"], False)]
)
def test_a_switch_needs_no_value(moot, flags, chair):
    given = [*ASKED, "--protocol", "council", "--agents", "2", *flags]
    assert json.loads(moot(*given)[1])["settings"]["chair"] is chair


def test_hyphens_stand_for_underscores_and_own_options_come_first(moot):
    settings = json.loads(moot(*ASKED, "--top-p", "0.5", "--agents", "2")[1])["settings"]
    assert settings["top_p"] == 0.5
    own = {name for each in ask.params for name in each.opts}
    assert {"--model", "--models", "--style", "--put"} <= own


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--round", "3"], "'--rounds'"),
        (["--rounds"], "requires an argument"),
        (["--rounds", "3", "--set", "rounds=2"], "rounds is set twice"),
        (["--rounds", "none of them"], "rounds"),
        (["--chair"], "unknown setting 'chair'"),
    ],
)
def test_what_is_no_setting_is_named_with_what_would_be(moot, flags, said):
    code, _, err = moot(*ASKED, *flags)
    assert code == 2
    assert said in err
    assert "Traceback" not in err
