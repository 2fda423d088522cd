"""The table ``[tune]``: what is wrong in it is named with file, key and nearest name."""

import pytest

from moot.contrib.tuning.tuning_file import load
from moot.core.errors import InputError, UnknownName
from support.commands import study

WRONG = [
    ({"space": {"temprature": [1]}}, r"tune\.space: unknown setting 'temprature'.*'temperature'"),
    ({"space": {"temperature": {"low": 0}}}, r"space: temperature: .*high"),
    ({"space": {"temperature": {"low": 1, "high": 0}}}, r"low = 1 is above high = 0"),
    ({"space": {"temperature": {"low": 0, "high": 1, "log": True}}}, r"low above 0"),
    ({"space": {"temperature": {"low": 0, "high": 1, "step": 0}}}, r"step = 0: must be above 0"),
    ({"space": {"max_tokens": {"low": 1, "high": 9.5}}}, r"max_tokens: .* whole numbers"),
    ({"space": {"style": {"low": 0, "high": 1}}}, r"space: style: only numbers have a range"),
    ({"space": {"temperature": 0.5}}, r"space: temperature = 0\.5: expected a list"),
    ({"space": {}}, r"tune\.space: a search needs at least one setting"),
    ({"baseline": {"temperature": 5}}, r"tune\.baseline: setting temperature = 5"),
    ({"baseline": {"temperature": [0.1, 0.2]}}, r"baseline: temperature: .* one value"),
    ({"trails": 5}, r"tune: unknown key 'trails'.*'trials'"),
    ({"development": 0}, r"tune: development = 0: a share"),
    ({"price": {"dollars": 1}}, r"tune\.price: unknown key 'dollars'"),
]


@pytest.mark.parametrize(("table", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_is_wrong_is_named(table, said):
    raw = study()
    raw["tune"] |= table
    with pytest.raises(InputError, match=rf"^study: .*{said}"):
        load(raw)


def test_a_study_without_the_table_is_no_study_to_be_tuned(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\n')
    with pytest.raises(InputError, match=r"mine\.toml: tune: .*needs a table \[tune\]"):
        load(file)
    with pytest.raises(UnknownName, match="there is no such file"):
        load(tmp_path / "none.toml")


def test_a_list_of_settings_is_no_grid_here():
    with pytest.raises(InputError, match=r"settings: .* stands under \[tune\.space\]"):
        load(study(settings={"model": "scripted/planted", "style": ["cot", "simple"]}))


def test_arms_of_the_file_are_left_to_run_and_what_it_extends_is_heeded(tmp_path):
    (tmp_path / "base.toml").write_text(
        'name = "base"\n[settings]\nmodel = "scripted/a"\nmax_tokens = 7\n'
        '[[datasets]]\nname = "arithmetic"\n[[arms]]\nprotocol = "self-consistency"\n'
    )
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\nextends = "base.toml"\nbaseline = "x"\n[[arms]]\nname = "x"\n'
        'protocol = "single"\n[tune]\nprotocol = "society-of-minds"\n'
        "[tune.space]\nrounds = [1, 2]\n"
    )
    tuning = load(tmp_path / "mine.toml")
    assert [arm.protocol for arm in tuning.study.arms] == ["society-of-minds"]
    assert tuning.arm("x", {"rounds": 2}).settings["max_tokens"] == 7
    assert [part.name for part in tuning.study.datasets] == ["arithmetic"]


def test_a_style_of_the_study_s_own_prompts_can_be_tried(tmp_path):
    prompts = tmp_path / "own.toml"
    prompts.write_text("[style.terse]\nnew = true\ntext = '{{ question }} Be terse. {{ form }}'\n")
    raw = study(prompts=str(prompts))
    raw["tune"] |= {"space": {"style": ["terse", "simple"]}, "baseline": {"style": "terse"}}
    tuning = load(raw)
    assert tuning.arm("trial", {"style": "terse"}).settings["style"] == "terse"
    [untuned] = tuning.study.arms
    assert untuned.settings["style"] == "terse"
