"""A method of a user's own is found by the path of its file."""

import pytest

import moot
from moot.core.errors import InputError, UnknownName
from moot.debate.own_method import adopt, load_own
from moot.debate.protocol import kind_of, registry
from moot.studies.plan import Plan
from moot.studies.study_file import load

METHOD = """\
from moot import Debate, Question, Verdict, protocol, verdict_from


@protocol(paper="our own", calls="1 + looks", kind="control")
async def {name}(debate: Debate, question: Question, *, looks: int = 1) -> Verdict:
    \"\"\"Answer, then look again.\"\"\"
    [agent] = debate.seat("thinker")
    view = await debate.ask(agent, "answer")
    for _ in range(looks):
        view = await debate.ask(agent, "again")
    return verdict_from(view)
"""
SECOND = METHOD.format(name="second_thoughts")
STUDY = """\
name = "own"
settings = {model = "simulated/people"}
[[datasets]]
name = "starters"
n = 3
[[arms]]
protocol = "methods/mine.py:second_thoughts"
looks = 2
[[arms]]
protocol = "single"
"""


@pytest.fixture
def write(tmp_path):
    def write(text=SECOND, name="mine.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.with_suffix(".toml").write_text('[step.again]\ntext = "Is it right? {{ form }}"\n')
        return path

    return write


def test_a_file_gives_its_protocol_by_its_function_by_its_name_and_alone(write):
    path = write()
    found = load_own(f"{path}:second_thoughts")
    assert found is load_own(f"{path}:second-thoughts") is load_own(str(path))
    assert registry.get(str(path)) is found is registry.get(found.name)
    assert "second-thoughts" not in registry.names()


def test_a_changed_file_is_another_method(write):
    old = load_own(str(write()))
    new = load_own(str(write(METHOD.format(name="second_thoughts") + "# changed\n")))
    assert old.name != new.name
    assert {old.name.partition("@")[0], new.name.partition("@")[0]} == {"second-thoughts"}


def test_a_file_beside_it_can_be_imported_and_one_of_moot_s_names_be_had(write):
    write("LOOKS = 2\n", "beside_mine.py")
    text = "import beside_mine\nassert beside_mine.LOOKS == 2\n" + METHOD.format(name="single")
    found = load_own(str(write(text)))
    assert found.name.startswith("single@")
    assert registry.get("single").algorithm is not found.algorithm


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", r"mine\.py: no protocol in it: put @moot\.protocol"),
        ("\nimport nowhere_at_all\n", r"mine\.py, line 2: ModuleNotFoundError: No module named"),
        (
            "def f():\n    1 / 0\n\n\nf()\n",
            r"mine\.py, line 2: ZeroDivisionError: div",
        ),
        ("def f(:\n", r"mine\.py, line 1: invalid syntax"),
        (METHOD.format(name="f").replace("looks: int", "looks"), r"mine\.py, line 4: .*looks"),
        (
            METHOD.format(name="one") + METHOD.format(name="two"),
            "has several protocols, one, two",
        ),
    ],
)
def test_a_file_that_is_no_method_is_named_with_the_user_s_own_line(write, text, said):
    with pytest.raises(InputError, match=said):
        load_own(str(write(text)))


def test_what_is_not_there_is_named(write, tmp_path):
    with pytest.raises(InputError, match=r"there is no such file"):
        load_own(str(tmp_path / "none.py"))
    with pytest.raises(UnknownName, match=r"unknown protocol 'secnd'; .*second-thoughts"):
        load_own(f"{write()}:secnd")


def test_it_answers_by_path_and_by_the_function_itself(write, tmp_path):
    path = write()
    settings = {"model": "simulated/people", "store": tmp_path / "store", "looks": 3}
    answer = moot.ask_sync("2 + 2?", protocol=f"{path}:second_thoughts", kind="number", **settings)
    assert len(answer.transcript.turns) == 4
    space: dict[str, object] = {"__name__": "my_notebook"}
    exec(compile(METHOD.format(name="another_look"), "cell", "exec"), space)
    given = space["another_look"]
    own = adopt(given)
    assert own is adopt(given)
    assert own.name.startswith("another-look@")
    assert adopt(registry.get("single")) is registry.get("single")


def test_a_study_finds_it_in_its_folder_and_its_key_has_the_hash(write, tmp_path, monkeypatch):
    write(name="methods/mine.py")
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.chdir("/")
    plan = Plan(load(tmp_path / "study.toml"))
    assert [arm.name for arm in plan.study.arms] == ["second-thoughts", "single"]
    write(METHOD.format(name="second_thoughts") + "# changed\n", name="methods/mine.py")
    assert Plan(load(tmp_path / "study.toml")).key != plan.key


def test_a_study_that_extends_another_finds_the_file_beside_that_one(write, tmp_path):
    write(name="methods/mine.py")
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "more.toml").write_text('name = "more"\nextends = "../study.toml"\n')
    study = load(tmp_path / "deep" / "more.toml")
    assert study.arms[0].protocol.startswith("second-thoughts@")


def test_an_error_names_study_and_arm(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    with pytest.raises(InputError, match=r"study\.toml: arms\[1\].*mine\.py: there is no such"):
        load(tmp_path / "study.toml")


def test_a_method_whose_file_is_gone_counts_as_a_debate():
    assert kind_of("second-thoughts@0123456789") == "debate"
