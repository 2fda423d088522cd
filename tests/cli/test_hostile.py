"""Values that no flag expects are refused with a sentence, or taken for what they are."""

import pytest

from support.commands import SIMULATED, STUDY

HUGE = "9" * 30
DEEP = "[" * 5_000
ENDLESS = "/dev/full"


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["run", "small.toml", "--limit", "-1"], {2}),
        (["run", "small.toml", "--limit", "0", "--dry-run"], {2}),
        (["run", "small.toml", "--limit", HUGE, "--dry-run"], {0}),
        (["run", "n" * 300], {2}),
        (["run", ENDLESS], {2}),
        (["ask", "?", "--model", SIMULATED, "--set", f"a={DEEP}"], {2}),
        (["ask", "?", "--model", SIMULATED, "--prompts", ENDLESS], {2}),
        (["write", "Museums.", "--model", SIMULATED, "--output", "n" * 300], {2}),
        (["write", "Museums.", "--model", SIMULATED, "--output", "folder"], {2}),
        (["write", "Museums.", "--model", SIMULATED, "--output", "small.toml/x"], {2}),
        (["refine", "small.toml", "--limit", "-1"], {2}),
        (["data", "peek", "arithmetic", "--limit", "5", "--set", f"seed={HUGE}"], {2}),
        (["data", "peek", "file", "--set", "path=~nosuch/x"], {2}),
        (["data", "peek", "file", "--set", "path=deep.json"], {2}),
        (["model", "add", "x", "~nosuch"], {2}),
        (["show", "--store", "~nosuch/x"], {2}),
        (["serve", ENDLESS], {2}),
        (["run", "small.toml", "--store", "n" * 300], {2}),
        (["ask", "?", "--model", SIMULATED, "--max-calls", HUGE], {2}),
    ],
    ids=lambda words: " ".join(words)[:60] if isinstance(words, list) else "",
)
def test_a_hostile_value_is_refused_with_a_sentence(moot, tmp_path, words, codes):
    (tmp_path / "small.toml").write_text(STUDY)
    (tmp_path / "folder").mkdir()
    (tmp_path / "deep.json").write_text('[{"question": ' + "[" * 3_000)
    code, _, err = moot(*words)
    assert code in codes
    assert "a fault of moot" not in err


def test_more_folds_than_a_number_holds_are_one_for_each_question(moot, tmp_path):
    (tmp_path / "small.toml").write_text(STUDY)
    assert moot("run", "small.toml")[0] == 0
    assert moot("analyse", "transfer", "small", "--folds", HUGE)[0] == 0
    assert moot("data", "peek", "file", "--set", "path=small.toml", "--limit", HUGE)[0] == 2
