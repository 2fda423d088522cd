"""Prompts as a factor of a study: ``prompts = ["ours", "mine.toml"]`` makes an arm for each."""

import pytest

import moot
from moot.contrib.tuning.tuning_file import load as load_tuning
from moot.core.errors import InputError
from moot.studies.plan import Plan
from moot.studies.study_file import load
from support.stored import read_debates

MINE = "[style.cot]\ntext = '{{ question }} Think hard. End with: Final answer: …'\n"
STUDY = """
name = "wording"
prompts = ["ours", "mine.toml"]
settings = { model = "simulated/crowd" }
[[datasets]]
name = "arithmetic"
n = 3
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
agents = [2, 3]
"""
NAMES = [
    "single prompts=ours",
    "single prompts=mine.toml",
    "society-of-minds agents=2,prompts=ours",
    "society-of-minds agents=2,prompts=mine.toml",
    "society-of-minds agents=3,prompts=ours",
    "society-of-minds agents=3,prompts=mine.toml",
]


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    path = tmp_path / "wording.toml"
    path.write_text(STUDY)
    return path


def arms(path, **replaced):
    text = path.read_text()
    for old, new in replaced.values():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return [(arm.name, arm.prompts) for arm in load(path).arms]


def test_each_file_makes_an_arm_of_each_arm(file):
    files = ["ours", "mine.toml"] * 3
    assert arms(file) == list(zip(NAMES, files, strict=True))
    own = ('protocol = "single"', 'protocol = "single"\nprompts = "mine.toml"')
    found = arms(file, own=own)
    assert found[0] == ("single", "mine.toml")
    assert [prompts for _, prompts in found[1:]] == files[:4]
    tune = '[tune]\nprotocol = "society-of-minds"\n[tune.space]\nagents = [2, 3]\n'
    file.write_text(file.read_text() + tune)
    with pytest.raises(InputError, match=r"prompts: a search has one file of prompts"):
        load_tuning(file)


def test_one_file_for_all_arms_is_no_factor_and_leaves_the_runs_key_as_it_was(file):
    below = file.parent / "below"
    below.mkdir()
    mine = below / "more.toml"  # a study that extends it from elsewhere finds the same files
    mine.write_text('name = "more"\nextends = "../wording.toml"\ndrop_arms = ["society*"]\n')
    single = ("single prompts=ours", "ours"), ("single prompts=../mine.toml", "../mine.toml")
    assert arms(mine) == [*single]
    one = ('prompts = ["ours", "mine.toml"]', 'prompts = "mine.toml"')
    found = arms(file, one=one)
    assert found == [(n, "") for n in ("single", *(f"society-of-minds agents={n}" for n in (2, 3)))]
    assert Plan(load(file)).key == "wording-9fb80eb061"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"mine.toml"]', '"other.toml"]', "prompts = 'other.toml': there is no such file"),
        ('["ours", "mine.toml"]', "[]", "prompts = \\[\\]: a list makes an arm for each file"),
        ('["ours", "mine.toml"]', '["ours", "ours"]', "two arms are named 'single prompts=ours'"),
    ],
)
def test_what_cannot_be_is_an_error_in_the_words_of_the_file(file, old, new, said):
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(InputError, match=said):
        load(file)


async def test_arms_run_with_their_own_prompts_and_are_paid_once(file, tmp_path):
    store = tmp_path / "store"
    seen = []
    first = await moot.run(file, store=store, confirm=lambda found: seen.append(found) or True)
    assert first.stopped is None
    assert [arm.arm for arm in first.results.arms] == NAMES
    assert [arm.arm for arm in seen[0].expected.arms] == NAMES
    assert seen[0].expected.calls == first.results.saved.paid
    debates = await read_debates(store, first.run)
    packs = {debate.arm: debate.transcript.opened.pack for debate in debates}
    ours = await moot.ask("1 + 1?", protocol="single", model="simulated/crowd", store=store)
    assert packs[NAMES[0]] == ours.transcript.opened.pack
    assert packs[NAMES[1]] != packs[NAMES[0]]
    again = await moot.run(file, store=store)
    assert again.run == first.run
    assert again.results.saved.paid == first.results.saved.paid
    assert [arm.accuracy for arm in again.results.arms] == [
        arm.accuracy for arm in first.results.arms
    ]


async def test_each_wording_has_a_baseline_of_its_own_at_the_price_of_a_debate(file, tmp_path):
    file.write_text(f"equal_budget = true\n{file.read_text()}")
    added = [arm for arm in load(file).arms if arm.name.startswith("equal-budget")]
    assert [arm.prompts for arm in added] == ["ours", "mine.toml"]
    done = await moot.run(file, store=tmp_path / "store")
    pools = {arm.arm: {each.pool for each in arm.budget} for arm in done.results.arms}
    assert pools["society-of-minds agents=3,prompts=ours"] == {"equal-budget"}
    assert pools["society-of-minds agents=3,prompts=mine.toml"] == {"equal-budget 2"}
