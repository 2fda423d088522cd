"""The command line as a user has it: a process, its output, its exit code."""

import json
import subprocess
import sys
from importlib.metadata import entry_points

import click
import pytest

from moot.cli.commands import CommandPlace
from moot.cli.main import PLACES, moot
from support.commands import FOUR, STUDY, environment, printed, refused, start_command


def test_model_and_store_come_from_options_and_the_environment(moot, tmp_path):
    out = printed(moot("ask", "2 + 2?", "--json", "--store", "a", MOOT_MODEL=FOUR))
    assert json.loads(out)["turns"][0]["model"].startswith("scripted")
    moot("ask", "2 + 2?", "--model", FOUR, MOOT_STORE="b")
    assert (tmp_path / "a" / "moot.db").exists()
    assert (tmp_path / "b" / "moot.db").exists()
    assert not (tmp_path / ".moot").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "x", "--protocol", "society-of-mind"], ["society-of-minds"]),
        (["ask", "x", "--model", "gpt-4o"], ["provider/model"]),
        (["ask", "x", "--set", "agent=3"], ["agent", "agents"]),
        (["ask", "x", "--set", "agents"], ["key=value"]),
        (["ask", "x", "--set", "model=x"], ["--model"]),
        (["ask", "x", "--set", "question=y"], ["--set question=y", "argument QUESTION"]),
        (["ask", "x", "--set", "context=450"], ["--set context=450", "--context", "window"]),
        (["ask", "x", "--set", 'choices=["a","b"]'], ["give it as --choice"]),
        (["ask", "x", "--set", "listen=x"], ["unknown setting 'listen'"]),
        (["ask", "x", "--agent", "role=mnd"], ["agents[1]", "'mind'"]),
        (["ask", "x", "--agent", "", "--set", "cast=[]"], ["--agent", "--set cast"]),
        (["ask", "x", "--set", "agents=[{]"], ["setting agents", "JSON list"]),
        (["ask", "x", "--set", "style=few-shot", "--set", "shots=9"], ["shots = 9", "examples"]),
        (["ask", "x", "--models", "a,b", "--agent", ""], ["--models and --agent: give one of"]),
        (["ask", "x", "--models", "a,b", "--set", 'models=["a"]'], ["--models and --set models"]),
        (["ask", "x", "--max-calls", "-1"], ["--max-calls = -1: must be a number"]),
        (["ask", "x", "--choice", "only one"], ["2 to 26"]),
        (
            ["run", "demo", "--model", "a/b", "--model", "c/d"],
            ["--model is given 2 times: a/b, c/d"],
        ),
        (["ask", "  "], ["empty"]),
        (["ask", "x", "--prompts", "none.toml"], ["none.toml"]),
        (["show", "none"], ["there is no store", "--store"]),
        (["data", "peek", "arithmetic", "--set", "hard=1"], ["difficulty"]),
        (["data", "add", "gsm8k", "none.jsonl"], ["none.jsonl"]),
        (["model", "add", "mine", "none.gguf"], ["none.gguf"]),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_bad_input_is_named_without_a_traceback(moot, arguments, said):
    err = refused(moot(*arguments, MOOT_MODEL=FOUR))
    for part in said:
        assert part in err


def test_names_and_paths_are_no_markup(moot, tmp_path):
    odd = "a [/red] [bold]b \u202ec"
    study = STUDY.replace('name = "small"', f"name = {json.dumps(odd)}")
    study = study.replace('protocol = "single"', 'protocol = "single"\nname = "[/x] one"')
    (tmp_path / "odd.toml").write_text(study)
    code, out, err = moot("run", "odd.toml", "--store", "w[/x]w")
    assert code == 0
    assert "[/x] one" in out
    assert "[/red]" in err
    assert "\u202e" not in out + err
    run = json.loads(moot("show", "--store", "w[/x]w", "--json")[1])[0]["run"]
    assert moot("show", run, "--store", "w[/x]w")[0] == 0
    assert moot("report", run, "--store", "w[/x]w", "--no-figures")[0] == 0


ALL = PLACES | {each.name: each.load() for each in entry_points(group="moot.commands")}


def test_the_list_of_commands_imports_none_of_them():
    code = (
        "import sys; from moot.cli.main import moot; moot(['--help'], standalone_mode=False);"
        "print('imported:', *sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed, _, imported = out.stdout.partition("imported:")
    assert {"analyse", "serve", "write"} <= set(listed.split())
    slow = {"asyncio", "numpy", "rich", "sqlite3"}
    modules = {place.value.partition(":")[0] for place in ALL.values()}
    assert not (slow | modules) & set(imported.split())


def test_a_question_imports_nothing_that_is_off(tmp_path):
    code = (
        "import sys; from moot.cli.main import moot;"
        f"moot(['ask', '1 + 1?', '--protocol', 'single', '--store', {str(tmp_path)!r},"
        "'--model', 'scripted?reply=2'], standalone_mode=False)"
    )
    code = f"import atexit, sys; atexit.register(lambda: print('imported:', *sys.modules)); {code}"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = out.stdout.partition("imported:")[2].split()
    assert "moot.debate.debate" in imported
    off = ("analyses", "contrib", "datasets", "metrics", "statistics", "decisions.weights")
    off += ("debate.graph", "debate.steering", "parsing.json_fields", "parsing.ruling")
    assert not [name for name in imported if name.startswith(tuple(f"moot.{each}" for each in off))]


CHOIR = """
import click
@click.command()
@click.argument('words', nargs=-1)
def sing(words):
    'Sing WORDS.'
    click.echo('la ' * len(words))
hum = 'no command'
class Songs:
    chant = sing
"""


@pytest.fixture
def plugin(tmp_path):
    """Install, in a folder, a package that adds commands. Returns the variable that finds it."""
    about = tmp_path / "site" / "choir-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: choir\nVersion: 1.0\n")
    entries = {"sing": "choir:sing", "hum": "choir:hum", "chant": "choir:Songs.chant"}
    entries |= {"lost": "nowhere:lost", "ask": "choir:sing"}
    lines = [f"{name} = {place}\n" for name, place in entries.items()]
    (about / "entry_points.txt").write_text("[moot.commands]\n" + "".join(lines))
    (tmp_path / "site" / "choir.py").write_text(CHOIR)
    return {"PYTHONPATH": str(tmp_path / "site")}


def test_a_package_adds_a_command_and_one_that_cannot_be_loaded_stops_no_other(plugin, tmp_path):
    assert start_command(tmp_path, "sing", "a", "b", **plugin) == (0, "la la \n", "")
    assert start_command(tmp_path, "chant", "a", "b", **plugin) == (0, "la la \n", "")
    out = printed(start_command(tmp_path, "--help", COLUMNS="200", **plugin))
    listed = [line.split(maxsplit=1) for line in out.partition("Ask:")[2].splitlines()]
    assert ["sing", "Sing WORDS."] in listed
    assert ["ask", PLACES["ask"].summary] in listed
    assert "'ask' of choir:sing is not used" in " ".join(out.split())
    for name, why in (("lost", "No module named 'nowhere'"), ("hum", "not a command of click")):
        err = refused(start_command(tmp_path, name, **plugin))
        assert f"command '{name}' cannot be loaded" in err
        assert why in err
        assert f"command '{name}' cannot be loaded" in out
    assert "No such command 'sing'" in start_command(tmp_path, "sing")[2]
    code, out, _ = start_command(tmp_path, "ask", "2 + 2?", "--model", FOUR, **plugin)
    assert (code, "la la" in out) == (0, False)
    damaged = CHOIR.replace("click.echo('la ' * len(words))", "raise EOFError('marshal data!')")
    (tmp_path / "site" / "choir.py").write_text(damaged)  # as where bytecode was cut off
    given = {"env": environment() | plugin, "capture_output": True, "text": True}
    ended = subprocess.run([sys.executable, "-m", "moot", "sing"], check=False, **given)
    assert (ended.returncode, "interrupted" in ended.stderr) == (70, False)
    assert "EOFError: marshal data" in ended.stderr


def test_a_command_of_a_part_is_listed_as_it_introduces_itself():
    """A list shows its summary, and its own words once it is loaded."""
    context, checked = click.Context(moot), 0
    for each in entry_points(group="moot.commands"):
        place = each.load()
        if each.module.startswith("moot.") and isinstance(place, CommandPlace):
            command = moot.get_command(context, each.name)
            said = " ".join((command.help or "").partition("\n\n")[0].split())
            assert said == place.summary, each.name
            checked += 1
    assert checked > 8
