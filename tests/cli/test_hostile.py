"""Values that no flag expects are refused with a sentence, or taken for what they are."""

import click
import pytest

from moot.cli.main import moot
from support.commands import SIMULATED, STUDY, run_command

HUGE = "9" * 30
DEEP = "[" * 5_000
ENDLESS = "/dev/full"


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["run", "small.toml", "--limit", "-1"], {2}),
        (["run", "small.toml", "--limit", "0", "--dry-run"], {2}),
        (["run", "small.toml", "--limit", HUGE, "--dry-run"], {0}),
        (["run", ENDLESS], {2}),
        (["ask", "?", "--model", SIMULATED, "--set", f"a={DEEP}"], {2}),
        (["ask", "?", "--model", SIMULATED, "--prompts", ENDLESS], {2}),
        (
            [
                "write",
                "Museums.",
                "--stance",
                "oppose",
                "--model",
                SIMULATED,
                "--output",
                "small.toml/x",
            ],
            {2},
        ),
        (["data", "peek", "arithmetic", "--limit", "5", "--set", f"seed={HUGE}"], {2}),
        (["data", "peek", "file", "--set", "path=~nosuch/x"], {2}),
        (["data", "peek", "file", "--set", "path=deep.json"], {2}),
        (["serve", ENDLESS], {2}),
        (["run", "small.toml", "--store", "n" * 300], {2}),
        (["ask", "?", "--model", SIMULATED, "--max-calls", HUGE], {2}),
    ],
    ids=lambda words: " ".join(words)[:60] if isinstance(words, list) else "",
)
def test_a_hostile_value_is_refused_with_a_sentence(moot, tmp_path, words, codes):
    (tmp_path / "small.toml").write_text(STUDY)
    (tmp_path / "deep.json").write_text('[{"question": ' + "[" * 3_000)
    code, _, err = moot(*words)
    assert code in codes
    assert "a fault of moot" not in err


BROKEN = "caf\udce9"
"""An argument as Python has it where a byte of it is no UTF-8."""


@pytest.mark.parametrize("command", ["ask x", "write x", "run sums"])
def test_an_option_that_is_no_utf_8_is_bad_input_or_harmless(command, tmp_path):
    """Every option of text, with a broken byte; what is asked at most is a simulated model."""
    name, given = command.split()
    context = click.Context(moot)
    texts = [
        max(each.opts, key=len)
        for each in moot.get_command(context, name).get_params(context)
        if isinstance(each, click.Option) and not each.is_flag and not each.count
    ]
    assert "--model" in texts
    for option in texts:
        value = f"simulated/{BROKEN}" if option == "--model" else BROKEN
        model = () if option == "--model" else ("--model", "simulated/people")
        code, _, said = run_command(tmp_path, name, given, *model, option, value)
        assert code in {0, 2}, (option, said)
        said.encode()
