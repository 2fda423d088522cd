"""``moot init``: a first study file, or the file of a method of one's own."""

from os.path import relpath
from pathlib import Path

import click

from moot.cli.console import say
from moot.core.errors import InputError
from moot.core.files import write_file
from moot.core.toml import format_toml
from moot.datasets.dataset import registry as datasets

STUDY = """\
# A plain comparison: is a debate worth its tokens?  moot run {file} --dry-run says what it takes.
name = {name}
equal_budget = true  # beside each debate a vote of as many tokens

[settings]
{model}

[budget]
calls = 2000  # the most model calls, over all runs of this file; cost = 5.0 for dollars

[[datasets]]
{dataset}
n = {n}  # questions, drawn by a seed; without it all

[[arms]]  # one reply: what the others are compared with
protocol = "single"

[[arms]]  # several replies and a vote
protocol = "self-consistency"
samples = 5

[[arms]]  # three agents, two rounds; moot protocols lists the others
protocol = "society-of-minds"
agents = 3
rounds = 2

# [[arms]]  # a method of your own: moot init --method mymethod writes one
# protocol = "mymethod.py"
"""

METHOD = '''\
"""A method of your own: moot ask "Is 91 prime?" --protocol {file}"""

from moot import Debate, Question, Verdict, protocol, verdict_from


@protocol(paper="our own", calls="1 + looks", kind="control")  # kind="debate" if agents talk
async def {function}(debate: Debate, question: Question, *, looks: int = 1) -> Verdict:
    """Ask one agent, and let it look again."""
    [agent] = debate.seat("thinker")
    view = await debate.ask(agent, "answer")
    for _ in range(looks):
        view = await debate.ask(agent, "again")  # the prompt "again" stands in {prompts}
    return verdict_from(view)
'''
PROMPTS = """\
[step.again]
text = "Look at your answer again. Is it right? {{ form }}"
"""
SAMPLE = 100
"""Questions of a first study, where there are so many."""


@click.command()
@click.argument("name", default="study")
@click.option("--questions", metavar="FILE|DATASET", help="What is asked; else sums.")
@click.option("--model", help="Who debates; else MOOT_MODEL.")
@click.option("--method", is_flag=True, help="Write the file of a method, not of a study.")
def init(name: str, questions: str | None, model: str | None, *, method: bool) -> None:
    """Write a first study, NAME.toml, or with --method a method of your own, NAME.py.

    The study compares single replies, a vote and a debate at equal tokens. QUESTIONS is a CSV,
    TSV, JSON or Parquet file, whose usual columns are recognised, or a dataset's name. Nothing is
    written over.
    """
    stem = name.removesuffix(".toml").removesuffix(".py")
    if method:
        if questions or model:
            raise InputError("--method: it takes neither --questions nor --model")
        _write_method(Path(f"{stem}.py"))
        return
    file = Path(f"{stem}.toml")
    dataset, n = _describe_questions(questions, file.parent)
    text = STUDY.format(
        file=file,
        name=format_toml(file.stem),
        model=f"model = {format_toml(model)}" if model else '# model = "openai/gpt-4o-mini"',
        dataset=dataset,
        n=n,
    )
    _write_new({file: text})
    say(f"{file}: edit it, then: moot run {file} --dry-run, and moot run {file}")


def _describe_questions(questions: str | None, folder: Path) -> tuple[str, int]:
    """Return the lines of the dataset of a study, and how many questions it draws."""
    if questions is None:
        return 'name = "arithmetic"  # or name = "file" and path = "questions.csv"', SAMPLE
    if not Path(questions).exists() and datasets.find(questions) is not None:
        rows = datasets.get(questions).rows
        return f"name = {format_toml(questions)}", min(rows or SAMPLE, SAMPLE)
    from moot.datasets.own_questions import read_own_questions

    found = read_own_questions(questions)
    for note in found.notes:
        say(note)
    path = Path(questions)
    table = {
        "name": "file",
        "label": path.stem,
        "path": Path(relpath(path, folder)).as_posix(),
        "columns": found.columns,
    }
    lines = [f"{key} = {format_toml(value)}" for key, value in table.items()]
    return "\n".join(lines), min(found.given, SAMPLE)


def _write_method(file: Path) -> None:
    function = file.stem.replace("-", "_")
    if not function.isidentifier():
        raise InputError(f"{file.stem!r} is no name of a Python function; take letters, 0-9 and _")
    prompts = file.with_suffix(".toml")
    code = METHOD.format(file=f"./{file}", function=function, prompts=prompts.name)
    _write_new({file: code, prompts: PROMPTS})
    say(f'{file} and {prompts}: try it: moot ask "Is 91 prime?" --protocol ./{file}')


def _write_new(contents: dict[Path, str]) -> None:
    """Write files. Raises ``InputError`` where one is there already or cannot be written."""
    for file in contents:
        if file.exists():
            raise InputError(f"{file} is there already; give another name: moot init NAME")
    for file, text in contents.items():
        try:
            write_file(file, text)
        except OSError as error:
            raise InputError(f"{file} cannot be written: {error.strerror}") from None
