"""Tables in LaTeX."""

import re
import shutil
import subprocess

import pytest

from moot.reports.grid import Cell, Column, Grid, Row
from moot.reports.latex import escaped, latex

ODD = r"""[a] \b{c} $d$ & %e #f _g ^h ~i <j> |k| "l" --- ''m'' ``n`` *o … − – · → [p]"""


def grid(*names):
    columns = (Column("Arm", words=True), Column("Accuracy %"))
    rows = [Row([Cell(name), Cell("66.7", "33.3 … 90.0")]) for name in names]
    return Grid("Title & all", "Note: 95 %.", columns, rows)


def test_a_table_with_rules_title_intervals_and_note():
    lines = list(latex(grid("one")))
    assert [line for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert r"\caption{Title \& all. Note: 95 \%.}" in lines
    assert r"\begin{tabular}{lr}" in lines
    assert r"Arm & Accuracy \% \\" in lines
    assert r"one & 66.7 [33.3 \ldots{} 90.0] \\" in lines


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b & c%", r"a\_b \& c\%"),
        ("\\x", r"\textbackslash{}x"),
        ("{}", r"\{\}"),
        ("a--b", "a-{}-b"),
        ("[x] y", "{[}x] y"),
        ("*", "{*}"),
        ("−1.5", "$-$1.5"),
        ("<``>", r"\textless{}`{}`\textgreater{}"),
    ],
)
def test_signs_of_tex_are_written_out(text, written):
    assert escaped(text) == written


def test_no_sign_of_tex_is_left_bare():
    bare = re.sub(r"\\(?:[&%$#_{}]|text\w+\{\}|ldots\{\})|\$(?:-|\\rightarrow)\$", "", escaped(ODD))
    assert not set(re.sub(r"\{[\[\"*]?\}", "", bare)) & set('\\{}$&%#_^~<>|"')


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_latex_takes_it(tmp_path):
    table = "\n".join(latex(grid("one", ODD, "[x]", "*", "−")))
    text = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{text}{table}\\end{{document}}\n", "utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").exists()
