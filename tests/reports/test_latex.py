"""Tables in LaTeX."""

import re
import shutil
import subprocess

import pytest

from moot.core.table import Cell, Column, Report, ResultTable, TableRow
from moot.reports.latex import escape_latex, latex_table, write_latex

ODD = r"""[a] \b{c} $d$ & %e #f _g ^h ~i <j> |k| "l" --- ''m'' ``n`` *o … − – · → [p]"""
ODD += " ≤ ≥ ≠ ≈ ∞ αβΩ µ « ü ł é ą Đ 中 ж ▲ ✓ 🙂"


def grid(*names):
    columns = (Column("Arm"), Column("Accuracy %", "percent"))
    rows = [TableRow([name, Cell("66.7", "33.3 … 90.0")]) for name in names]
    return ResultTable("Title & all", columns, rows, "Note: 95 %.")


def test_a_table_with_rules_title_intervals_and_note():
    lines = list(latex_table(grid("one")))
    assert [line for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert r"\caption{Title \& all}" in lines
    assert r"\par\smallskip{\scriptsize Note: 95 \%.\par}" in lines
    assert r"\begin{tabular}{lr}" in lines
    assert r"Arm & Accuracy \% \\" in lines
    assert r"one & 66.7 [33.3 \ldots{} 90.0] \\" in lines


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b & c%", r"a\_b \& c\%"), ("\\x", r"\textbackslash{}x"), ("{}", r"\{\}"),
        ("a--b", "a-{}-b"), ("[x] y", "{[}x] y"), ("*", "{*}"), ("−1.5", "$-$1.5"),
        ("p ≤ α", r"p $\leq$ $\alpha$"), ("Ząb 中", r"Z{[}U+0105]b {[}U+4E2D]"),
        ("café, Łódź", "café, Łódź"),
        ("<``>", r"\textless{}`{}`\textgreater{}"), ("−14.5† and ‡", r"$-$14.5\dag{} and \ddag{}"),
    ],
)  # fmt: skip
def test_signs_of_tex_are_written_out(text, written):
    assert escape_latex(text) == written


KNOWN = re.compile(r"[\x20-\x7e\n¡-ª¬-º¼-ſȘ-ț‐-—‘’“”•‰€™]*")
"""Signs for which pdfTeX has letters, with UTF-8 as input and its own fonts."""


def test_no_sign_is_left_that_pdftex_does_not_know():
    text = write_latex(Report("T", "", [grid(ODD, *"≤≥αΩ中ж🙂«ą")]))
    tables = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert KNOWN.fullmatch(tables)
    assert "U+4E2D" in tables
    assert text.splitlines()[1].startswith("% signs that pdfTeX has no letter for")


@pytest.mark.parametrize("made", ["grid", "grouped", "wide", "long"])
def test_environments_and_braces_are_balanced(made):
    tables = {
        "grid": grid(ODD),
        "grouped": grouped(6),
        "wide": wide(60, "Round 1 %", "Round 2 %"),
        "long": datasets(8),
    }
    text = "\n".join(latex_table(tables[made]))
    open_ones = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert not open_ones
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")


def wide(rows=6, *more):
    """A table with runs, datasets, long names and intervals, as of several runs."""
    words = [Column(name) for name in ("Run", "Dataset", "Arm")]
    figures = [
        Column(name, "percent")
        for name in ("Accuracy %", "Difference", "p (Holm)", "Debates", *more)
    ]
    interval = Cell("−16.7", "−50.0 … +25.0")
    name = "society-of-minds_opening=control-wrong,rounds="
    rest = [interval, interval, Cell("< 0.001"), Cell("12"), *[interval] * len(more)]
    made = [
        TableRow([f"a-comparison-of-protocols-{k % 2}", "sums", f"{name}{k}", *rest])
        for k in sorted(range(rows), key=lambda k: k % 2)
    ]
    return ResultTable("Title", (*words, *figures), made, "Note.")


def test_a_wide_table_has_intervals_beneath_and_what_rows_share_above():
    lines = list(latex_table(wide()))
    assert any(re.fullmatch(r"\\begin\{tabular\}\{>.*p\{[\d.]+em\}rrrr\}", each) for each in lines)
    headings = [line for line in lines if "multicolumn" in line]
    assert [re.search(r"\d;", line)[0] for line in headings] == ["0;", "1;"]
    assert r"\multicolumn{5}{@{}l@{}}{\itshape Run:" in headings[0]
    assert "Dataset: sums" in headings[0].replace(r"\allowbreak{}", "")
    row = next(line for line in lines if line.startswith(r"\hspace"))
    assert r"$-$16.7 \\ \scriptsize {}[$-$50.0\ldots{}+25.0]\end{tabular}" in row
    assert row.count(" & ") == 4
    assert r"control-wrong,\allowbreak{}rounds=\allowbreak{}0" in row
    assert lines.count(r"\addlinespace") == 1


def grouped(rows):
    """A table whose columns share headings and whose rows share bands."""
    columns = (
        Column("Arm"),
        Column("single", "percent", group="Accuracy % & more"),
        Column("debate", "percent", group="Accuracy % & more"),
        Column("Cost", "money"),
    )
    made = [TableRow(["a", 0.5, 0.25, 1.0], band=f"set_{k % 3}") for k in range(rows)]
    return ResultTable("Grouped", columns, sorted(made, key=lambda row: row.band))


def test_columns_and_rows_share_headings():
    lines = list(latex_table(grouped(6)))
    assert r" & \multicolumn{2}{c}{Accuracy \% \& more} &  \\" in lines
    assert r"\cmidrule(lr){2-3}" in lines
    assert lines.count(r"\addlinespace") == 2
    bands = [line for line in lines if line.startswith(r"\multicolumn{4}")]
    assert [re.search(r"set.*\d", band)[0] for band in bands] == [
        rf"set\_\allowbreak{{}}{k}" for k in range(3)
    ]


def datasets(number):
    """A long table with an accuracy and a price on each dataset."""
    columns = [Column("prompt"), Column("configuration")]
    for k in range(number):
        group = f"dataset {k}"
        columns += [Column("accuracy %", "percent", group=group)]
        columns += [Column("total cost", "money", group=group)]
    figures = [Cell(0.666, "22.3 … 95.7"), 0.000354] * number
    made = [
        TableRow(["cot", "agents=2, rounds=3, summary=off", *figures], band="society-of-minds")
        for _ in range(40)
    ]
    return ResultTable("All", tuple(columns), made, "A note.")


def test_a_long_table_that_is_too_wide_for_a_turned_page_is_cut_between_datasets():
    lines = list(latex_table(datasets(8)))
    captions = [line for line in lines if line.startswith(r"\caption")]
    assert captions[0] == r"\caption{All (1 of 2)} \\"
    assert captions[1] == r"\caption{All (2 of 2)} \\"
    assert sum("A note." in line for line in lines) == 1
    heads = [re.findall(r"\{(dataset \d)\}", line) for line in lines if "dataset" in line]
    assert heads[0] + heads[-1] == [f"dataset {k}" for k in range(8)]
    assert sum(line.startswith(r"\hspace{0pt}cot & ") for line in lines) == 80


def test_what_a_report_shows_stands_in_comments():
    report = Report("T", "", [grid("one")], findings=("50 % of\nall",), simulated=True)
    lines = write_latex(report).splitlines()
    assert lines[0].startswith("% SIMULATED")
    assert lines[1:3] == ["% T", "% 50 % of all"]
    assert lines[3].startswith(r"% needs \usepackage{adjustbox")


LONG_NAME = (
    "vllm/https://inference.example.org/v1/deployments/some_organisation/"
    "A_Name_With_Underscores-Instruct_v0.1?quantized=fp8&length=128000"
)


def test_a_long_name_below_a_table_goes_on_in_another_line_and_a_figure_does_not():
    said = f"{LONG_NAME} speaks in the place of 1,273 others."
    [below] = [line for line in latex_table(named(said)) if "smallskip" in line]
    assert below.count(r"\allowbreak{}") == 2 * sum(map(LONG_NAME.count, "/:_?=&"))
    assert "1,273 others." in below


def named(said):
    """A table that says something, and has a name in its title and a cell."""
    rows = [TableRow([LONG_NAME, 0.5])]
    columns = (Column("model"), Column("right %", "percent"))
    return ResultTable(f"Of {LONG_NAME}", columns, rows, said, (said,))


def texts(rows):
    """A table of texts: names, numbers and hashes, Chinese, and sentences of one column."""
    columns = tuple(map(Column, ("question", "by their rule", "read as", "said", "right")))
    said = "One of the agents is right, which is enough by their rule; " * 6
    cells = [
        "0ec4371851b96837b0a81b3dd3df401415061bb532fbafeb",
        "wrong",
        "6" * 23,
        said,
        "夜已经深了",
    ]
    return ResultTable("Texts", columns, [TableRow(cells) for _ in range(rows)], cells[0])


def test_words_that_tex_does_not_hyphenate_have_places_to_break():
    row = next(line for line in latex_table(texts(1)) if line.startswith(r"\hspace"))
    assert r"0ec43718\allowbreak{}51b96837\allowbreak{}b0a81b3d" in row
    assert r"66666666\allowbreak{}66666666\allowbreak{}6666666 &" in row
    assert r"{[}U+591C]\allowbreak{}{[}U+5DF2]\allowbreak{}" in row
    assert "enough by their rule" in row
    note = next(line for line in latex_table(texts(1)) if "smallskip" in line)
    assert r"0ec43718\allowbreak{}51b96837" in note


@pytest.mark.parametrize("rows", [1, 60])
def test_sentences_get_the_room_that_other_columns_leave(rows):
    kinds = next(line for line in latex_table(texts(rows)) if "arraybackslash" in line)
    widths = [float(width) for width in re.findall(r"p\{([\d.]+)em\}", kinds)]
    assert len(widths) == 5
    assert widths[3] == max(widths) > 2 * widths[1]


def test_what_latex_would_keep_back_is_set_before_it_is_too_much():
    lines = write_latex(Report("T", "", [grid("one")] * 53)).splitlines()
    pages = "\n".join(lines).split(r"\clearpage")
    assert [page.count(r"\end{table}") for page in pages] == [18, 18, 17]


@pytest.mark.soak
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
@pytest.mark.parametrize(
    "size",
    [
        *("a4paper,10pt", "a4paper,11pt", "a4paper,12pt", "a4paper,10pt,twocolumn"),
        *("letterpaper,10pt", "letterpaper,11pt", "letterpaper,12pt"),
    ],
)
def test_latex_takes_it_between_the_margins_of_a_page(size, tmp_path):
    tables = [
        grid("one", ODD, "[x]", "*", "−"),
        grouped(6),
        wide(6),
        wide(40, "Round 1 %", "Round 2 %", "Round 3 %"),
        grouped(90),
        grid(*map(str, range(99))),
        wide(6, "Round 1 %", "Round 2 %", "Round 3 %"),
        datasets(8),
        *(named(f"{'So it is. ' * k}{LONG_NAME} speaks.") for k in range(4)),
        texts(3),
        texts(60),
        *[grid("one")] * 60,
    ]
    written = write_latex(Report("T", "", tables))
    text = f"\\documentclass[{size}]{{article}}\n"
    text += re.search(r"% needs (.*)", written)[1] + "\n"
    text += "\\begin{document}\n" + "Words before it. " * 200
    (tmp_path / "t.tex").write_text(f"{text}{written}Words behind it.\\end{{document}}\n", "utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").exists()
    for fault in ("Float too large", "Overfull"):
        assert not re.search(rf"{fault}(?! \\vbox).*", done.stdout), done.stdout[-2000:]
