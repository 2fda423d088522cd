"""``moot.worth``: one call from a file of questions to the answer."""

import pytest

import moot
from moot.core.errors import InputError
from moot.studies.plan import Plan
from moot.studies.study_file import load
from moot.studies.worth import compose_worth
from support.sums import sums

MODEL = "simulated/people?accuracy=0.6"


def write_sums(folder, n=120, head="question,answer"):
    rows = [f"What is {k} + {3 * k}?,{4 * k}" for k in range(1, n + 1)]
    path = folder / "mine.csv"
    path.write_text("\n".join([head, *rows]))
    return path


async def test_a_file_and_a_model_are_enough(tmp_path):
    seen = []
    found = await moot.worth(
        write_sums(tmp_path), model=MODEL, store=tmp_path / "store", watch=seen.append
    )
    own = found.statement
    assert str(found) == found.sentence == own.sentence
    assert [each.method for each in own.methods] == ["society-of-minds", "council"]
    assert [each.questions.used for each in seen] == [*range(20, own.questions.used + 1, 20)]
    assert seen[-1].methods == own.methods
    assert all(each.stopped is None for each in seen[:-1])
    assert found.run == found.outcome.run == found.outcome.results.run
    assert {arm.arm for arm in found.outcome.results.arms} == {
        *("society-of-minds", "council", "single", "equal-budget")
    }
    assert "planned" not in found.sentence
    shown = await moot.analyse("accuracy", found.run, store=tmp_path / "store")
    assert found.sentence in shown.findings


async def test_a_model_object_its_own_protocols_and_a_cap(tmp_path):
    model = moot.Scripted(lambda call: f"Final answer: {call.scene.question.answer}", name="sure")
    found = await moot.worth(
        write_sums(tmp_path),
        model=model,
        protocols=["society-of-minds", "single"],
        budget=moot.Budget(calls=60),
        margin=0.3,
        seed=3,
        store=tmp_path / "store",
    )
    own = found.statement
    assert (own.stopped, own.margin, own.order_seed) == ("cap", 0.3, 3)
    assert [each.arm for each in own.methods] == ["society-of-minds"]
    assert own.methods[0].tied == own.questions.used > 0
    whole = await moot.worth(
        write_sums(tmp_path),
        model=model,
        protocols=["society-of-minds", "single"],
        margin=0.3,
        seed=3,
        store=tmp_path / "store",
    )
    assert whole.run == found.run
    assert whole.statement.methods[0].class_ == "equal"


async def test_an_estimate_that_is_not_accepted_calls_nothing(tmp_path):
    shown = []

    def refuse(estimate):
        shown.append(estimate)
        return False

    with pytest.raises(InputError, match="nothing was called"):
        await moot.worth(
            write_sums(tmp_path), model=MODEL, store=tmp_path / "store", confirm=refuse
        )
    assert shown[0].debates == 120 * 4


def test_a_dataset_by_its_name_and_without_await(tmp_path):
    found = moot.worth_sync("starters", model=MODEL, limit=5, store=tmp_path / "store")
    assert found.statement.questions.unique == 5
    assert found.statement.questions.file_sha256 is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"margin": 5}, "margin = 5: a share above 0 and below 1"),
        ({"protocols": ["single"]}, "there is no debate to compare"),
        ({"protocols": ["society"]}, "--protocol: unknown protocol 'society'.*society-of-minds"),
        ({"columns": {"question": "Ask"}}, "Ask"),
    ],
)
def test_what_cannot_be(tmp_path, given, words):
    with pytest.raises(InputError, match=words):
        compose_worth(write_sums(tmp_path), model=MODEL, **given)


def test_columns_are_recognised_and_said(tmp_path):
    composed = compose_worth(write_sums(tmp_path, head="Prompt,Gold"), model=MODEL)
    assert "'Prompt'" in composed.notes[0]
    assert composed.study.stop.methods == ("society-of-minds", "council")
    council = next(arm for arm in composed.study.arms if arm.name == "council")
    assert council.settings["agents"] == 3


def test_where_a_debate_is_named_the_run_keeps_the_key_of_a_study_that_names_no_methods(tmp_path):
    given = ["society-of-minds", "ensemble-refinement"]
    path = write_sums(tmp_path)
    study = compose_worth(path, model=MODEL, protocols=given).study
    plain = load(
        {
            "name": "worth mine",
            "datasets": [study.datasets[0].parameters | {"name": "file"}],
            "arms": [{"protocol": each} for each in (*given, "single")],
            "stop": {"margin": 0.05, "alpha": 0.05, "block": 20, "seed": 0},
        },
        model=MODEL,
    )
    assert Plan(study).key == Plan(plain).key
    assert study.stop.methods == ("society-of-minds",)
    alone = compose_worth(path, model=MODEL, protocols=given[1:]).study
    assert alone.stop.methods == ("ensemble-refinement",)


async def test_a_plain_study_and_a_question_load_nothing_of_it(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys, moot\n"
        "study = {'name': 'x', 'settings': {'model': 'simulated/people'}, 'datasets': "
        "[{'name': 'arithmetic', 'n': 2}], 'arms': [{'protocol': 'society-of-minds'}]}\n"
        f"moot.run_sync(study, store={str(tmp_path / 'store')!r})\n"
        "moot.ask_sync('Is 91 prime?', model='simulated/people', kind='boolean', "
        f"store={str(tmp_path / 'store')!r})\n"
        "own = ('sequential', 'studies.worth', 'sequences', 'planning')\n"
        "print([name for name in sys.modules if name.startswith('moot.') and "
        "any(each in name for each in own)])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_fixed_study_has_no_statement(tmp_path):
    outcome = await moot.run(sums("plain", MODEL), store=tmp_path)
    assert not outcome.results.statement
