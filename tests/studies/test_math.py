"""Questions in mathematics from the file to the report: equivalent answers are one answer."""

import json
import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

import pytest

import moot
from moot.core.errors import InputError
from moot.models.scripted import Scripted
from moot.parsing.apart import close_apart
from support.commands import environment
from support.stored import read_debates
from support.sums import sums

QUESTIONS = [
    {"question": r"Rationalise $\frac{2}{\sqrt{2}}$.", "answer": r"$\sqrt{2}$"},
    {"question": "For which $x$ is $x^2 < 4$?", "answer": r"\boxed{(-2,2)}"},
    {"question": "Solve $x^2 = 9$.", "answer": r"x = 3 \text{ or } x = -3"},
    {"question": "What is three eighths?", "answer": r"Three eighths are \boxed{\dfrac{3}{8}}."},
    {"question": "Which matrix swaps?", "answer": r"\begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}"},
]
SAID = [
    [r"So $\boxed{\frac{2}{\sqrt2}}$.", r"Final answer: $\sqrt 2$", r"\boxed{1.414}"],
    [r"\boxed{-2 < x < 2}", r"Final answer: (-2, 2)", r"Final answer: $x \in (-2,2)$"],
    [r"\boxed{x = \pm 3}", r"Final answer: 3, -3", r"Final answer: 3"],
    [r"\boxed{0.375}", r"Final answer: 3/8", r"Final answer: $\frac38"],
    [r"\boxed{\begin{bmatrix} 0 & 1 \\ 1 & 0 \end{bmatrix}}", r"\boxed{\frac{1", "10^{10^{10}}"],
]


def study(tmp_path, rows=QUESTIONS, *protocols, **settings):
    lines = [json.dumps({"kind": "math", "id": f"q{n}", **row}) for n, row in enumerate(rows)]
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    settings = {"model": "simulated/people?accuracy=0.7", **settings}
    arms = [{"protocol": each} for each in protocols or ("self-consistency",)]
    data = [{"name": "file", "path": str(tmp_path / "q.jsonl")}]
    return sums("math", "", arms=arms, datasets=data, settings=settings)


async def test_votes_pool_equivalent_answers_and_are_right(tmp_path):
    def script(call):
        number = int(call.scene.question.id[1:])
        return SAID[number][int(call.scene.agent[-1]) - 1]

    model = Scripted(script)
    given = study(tmp_path, model=model.name, samples=3)
    outcome = await moot.run(given, store=tmp_path / "store", models=[model])
    rows = [row.transcript for row in await read_debates(tmp_path / "store", outcome.run)]
    votes = {each.question.id: each.verdict.votes for each in rows}
    assert votes == {
        "q0": {r"\sqrt{2}": 2, "1.414": 1},
        "q1": {"(-2, 2)": 3},
        "q2": {r"\{-3, 3\}": 2, "3": 1},
        "q3": {"0.375": 3},
        "q4": {r"\begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}": 1},
    }
    assert all(each.verdict.answer in each.question.answers for each in rows)


@pytest.mark.parametrize("more", [{}, {"opening": "control-right"}])
async def test_a_study_runs_end_to_end_and_again_without_a_call(more, tmp_path):
    protocols = "self-consistency", "society-of-minds", "debate-moderated", "multi-persona"
    given = study(tmp_path, QUESTIONS, *protocols, **more)
    outcome = await moot.run(given, store=tmp_path / "store")
    assert (outcome.debates, outcome.failed) == (20, 0)
    before = await read_debates(tmp_path / "store", outcome.run)
    again = await moot.run(given, store=tmp_path / "store", replay=True)
    after = await read_debates(tmp_path / "store", again.run)
    assert [each.transcript.verdict for each in after] == [
        each.transcript.verdict for each in before
    ]
    assert all(turn.replayed for each in after for turn in each.transcript.turns)
    assert not [each for each in active_children() if each.is_alive()]  # closed with the run


async def test_what_cannot_be_read_is_said_before_anything_is_paid(tmp_path):
    asked = []
    model = Scripted(lambda call: asked.append(call) or "Final answer: 1")
    for answer, said in (
        (r"\frac{1}{0}", "'q1': its answer"),
        (r"\frac{1", "line 2: column 'answer'"),
    ):
        rows = [QUESTIONS[0], {"question": "?", "answer": answer}]
        with pytest.raises(InputError, match=said):
            await moot.run(study(tmp_path, rows, model=model.name), store=tmp_path, models=[model])
    with pytest.raises(InputError, match="for numbers alone"):
        await moot.run(study(tmp_path, opening="control-wrong"), store=tmp_path)
    assert not asked


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder
class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"math_verify", "sympy", "latex2sympy2_extended"}:
            raise ModuleNotFoundError(name, name=name)
from importlib import util
known = util.find_spec
util.find_spec = lambda name, *more: None if name == "math_verify" else known(name, *more)
sys.meta_path.insert(0, Hide())
from moot.__main__ import main
main()
"""


@pytest.mark.soak
def test_a_stored_run_needs_no_library_and_a_new_one_says_which(tmp_path):
    (tmp_path / "moot.py").write_text(WITHOUT)

    def call(*args, hidden=False):
        with_it = [Path(sys.executable).with_name("moot")]
        command = [sys.executable, "-P", tmp_path / "moot.py"] if hidden else with_it
        given = {"cwd": tmp_path, "env": environment(), "capture_output": True, "text": True}
        return subprocess.run([*command, *args], check=False, **given)

    asked = ["ask", "1/2?", "--kind", "math", "--model", "simulated/people", "--answer", "x+1"]
    assert call(*asked).returncode == 0
    refused = call(*asked, hidden=True)
    assert refused.returncode == 2
    assert "pip install 'moot[math]'" in refused.stderr
    run = call("show").stdout.split()[0]
    shown = call("show", run, hidden=True)
    assert shown.returncode == 0, shown.stderr
    assert call("show", run).stdout == shown.stdout


@pytest.fixture(autouse=True)
def _close():
    yield
    close_apart()
