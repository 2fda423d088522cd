"""Studies composed of others: what is merged, replaced, dropped and added, and who is named."""

import json

import pytest

import moot
from moot.core.errors import InputError, UnknownName
from moot.studies.plan import Plan
from moot.studies.study_file import load

BASE = """
name = "base"
baseline = "alone"
replicates = 2
settings = { model = "scripted?reply=4", temperature = 0.2, max_tokens = 50 }
budget = { calls = 100 }
prices = { "scripted?reply=4" = { input = 1.0, output = 2.0 } }
datasets = [{ name = "arithmetic", n = 3 }, { name = "starters", n = 2 }]
[[arms]]
name = "alone"
protocol = "single"
[[arms]]
protocol = "society-of-minds"
agents = [2, 3]
[[arms]]
name = "society of four"
protocol = "society-of-minds"
agents = 4
"""


@pytest.fixture
def study(tmp_path):
    """Loads a study file from a folder with ``base.toml`` in it."""
    (tmp_path / "base.toml").write_text(BASE)

    def loaded(text, file="own.toml"):
        (tmp_path / file).write_text(text)
        return load(tmp_path / file)

    return loaded


def names(study):
    return [arm.name for arm in study.arms]


def test_what_is_not_said_is_inherited_and_tables_are_merged_key_by_key(study):
    own, base = study('name = "own"\nextends = "base.toml"'), study(BASE)
    assert (own.name, own.baseline, own.replicates) == ("own", "alone", 2)
    assert (own.arms, own.datasets) == (base.arms, base.datasets)
    assert (own.budget, own.prices) == (base.budget, base.prices)
    with pytest.raises(InputError, match=r"own\.toml: .*name"):
        study('extends = "base.toml"')
    tables = "[settings]\ntemperature = 0.9\n[budget]\ntokens = 7\n"
    tables += '[prices."other/model"]\ninput = 3.0\noutput = 4.0\n'
    own = study('name = "own"\nextends = "base.toml"\nreplicates = 1\n' + tables)
    settings = own.arms[0].settings
    assert (settings["temperature"], settings["max_tokens"]) == (0.9, 50)
    assert (own.budget.calls, own.budget.tokens, own.replicates) == (100, 7, 1)
    prices = {model: price.input for model, price in own.prices.items()}
    assert prices == {"scripted?reply=4": 1.0, "other/model": 3.0}
    study('name = "low"\nextends = "base.toml"\n[settings]\nmax_tokens = 60', "low.toml")
    study('name = "high"\nextends = "base.toml"\n[settings]\ntemperature = 1.0', "high.toml")
    both = study('name = "own"\nextends = ["low.toml", "high.toml"]')  # the later over the earlier
    settings = both.arms[0].settings
    assert (settings["max_tokens"], settings["temperature"]) == (50, 1.0)
    assert names(both) == names(study(BASE))


def test_an_arm_takes_the_place_of_the_one_of_its_name_and_others_follow(study):
    arms = '[[arms]]\nprotocol = "single"\nstyle = "spp"\n'
    arms += '[[arms]]\nprotocol = "society-of-minds"\nrounds = 3\n'
    own = study(f'name = "own"\nextends = "base.toml"\n{arms}')
    assert names(own) == ["alone", "society-of-minds", "society of four", "single"]
    assert own.arms[1].settings["agents"] == 3  # of the protocol: nothing is left of the old arm
    assert own.arms[1].settings["rounds"] == 3


def test_arms_and_datasets_are_dropped_by_name_or_pattern(study):
    dropped = 'drop_arms = ["society*"]\ndrop_datasets = ["arithmetic"]\n'
    data = '[[datasets]]\nname = "starters"\nn = 5\n'
    data += '[[datasets]]\nname = "arithmetic"\nlabel = "harder"\ndifficulty = 2\n'
    own = study(f'name = "own"\nextends = "base.toml"\n{dropped}{data}')
    assert names(own) == ["alone"]
    assert [(part.label, part.n) for part in own.datasets] == [("starters", 5), ("harder", None)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extends = "bse.toml"', ["own.toml: extends: unknown study 'bse.toml'", "sums"]),
        ("extends = 3", ["own.toml: extends", "a text", "a whole number"]),
        ('extends = "round.toml"', ["round.toml: extends", "own.toml → round.toml → own.toml"]),
        ('extends = "bad.toml"', ["bad.toml: unknown key 'arm'", "'arms'"]),
        ('extends = "base.toml"\ndrop_arms = ["alon"]', ["own.toml: drop_arms", "'alone'"]),
        ('extends = "base.toml"\ndrop_datasets = ["gsm*"]', ["drop_datasets", "arithmetic"]),
        ('drop_arms = ["single"]', ["own.toml: drop_arms", "Valid: none"]),
        ('extends = "wrong.toml"', ["wrong.toml: arms[2]", "rounds = 0"]),
    ],
)
def test_a_mistake_is_named_with_the_file_it_stands_in(study, tmp_path, text, said):
    (tmp_path / "round.toml").write_text('name = "round"\nextends = "own.toml"')
    (tmp_path / "bad.toml").write_text('name = "bad"\n[[arm]]\nprotocol = "single"')
    (tmp_path / "wrong.toml").write_text(BASE.replace("agents = [2, 3]", "rounds = 0"))
    with pytest.raises(InputError) as caught:
        study(f'name = "own"\n{text}')
    for part in said:
        assert part in str(caught.value)


def test_several_arms_of_one_name_take_the_place_together(study):
    grid = '[[arms]]\nprotocol = "single"\n[[arms]]\nprotocol = "single"\nstyle = ["simple"]\n'
    lower = 'name = "lower"\nextends = "base.toml"\ndrop_arms = ["*"]\nbaseline = ""\n' + grid
    assert names(study(lower, "lower.toml")) == ["single", "single style=simple"]
    upper = 'name = "upper"\nextends = "lower.toml"\n[[arms]]\nprotocol = "single"\nstyle = "spp"\n'
    assert names(study(upper)) == ["single"]
    arm = {"protocol": "single", "style": "spp"}
    own = load({"name": "own", "extends": "demo", "drop_arms": ["m*"], "arms": [arm]})
    assert names(own) == ["single", "self-consistency", "society-of-minds"]
    assert own.arms[0].settings["style"] == "spp"
    dropped = 'name = "own"\nextends = "base.toml"\ndrop_arms = ["alone"]\n'
    with pytest.raises(UnknownName, match="baseline: unknown arm 'alone'"):
        study(dropped)
    assert study(dropped + 'baseline = ""').baseline == "society-of-minds agents=2"


async def test_paths_stay_those_of_the_file_they_stand_in(tmp_path):
    lower, upper, moved = (tmp_path / name for name in ("lower", "upper", "elsewhere"))
    for folder in (lower, upper, moved):
        folder.mkdir()
    for file, start in (("asked.jsonl", 0), ("shown.jsonl", 10)):
        numbers = range(start, start + 4)
        written = [{"question": f"{n} + 1?", "answer": n + 1} for n in numbers]
        (lower / file).write_text("\n".join(map(json.dumps, written)))
    (lower / "words.toml").write_text("[community.step.speak]\ntext = 'Say, {{ question }}'")
    (lower / "base.toml").write_text(
        'name = "base"\nprompts = "words.toml"\n'
        '[settings]\nmodel = "scripted?reply=Final answer: 1"\n'
        '[[datasets]]\nname = "file"\npath = "asked.jsonl"\n'
        '[[arms]]\nprotocol = "single"\nstyle = "few-shot"\nshots = 2\nexamples = "shown.jsonl"\n'
    )
    (upper / "own.toml").write_text('name = "own"\nextends = "../lower/base.toml"')
    outcome = await moot.run(upper / "own.toml", store=tmp_path / "store")
    assert (outcome.done, outcome.failed) == (4, 0)
    assert load(upper / "own.toml").prompts == upper / "../lower/words.toml"
    for folder in (lower, upper):
        folder.rename(moved / folder.name)
    assert Plan(load(moved / "upper" / "own.toml")).key == outcome.run
