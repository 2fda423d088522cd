"""Whether tests notice faults: mutants of moot's code, chosen by chance, and which of them live.

    python bench/mutants.py                             20 mutants, seed 1
    python bench/mutants.py --count 5 --seed 7

A mutant is this checkout's last commit with one fault: a comparison, an operator, a number, a
truth value or a condition is another one. Places are drawn evenly from all such places in the
folders named. For each mutant the tests of its folder run, then those of everything that stands
on it, until one fails: then it is killed. One that no test kills, lives; some of these behave no
other than moot does, which only a reader can tell. The exit code is 1 when any lives.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("parsing", "debate", "runtime", "statistics", "decisions")
"""Folders or modules of ``src/moot`` at any depth, where they exist."""
WIDER = ("core", "parsing", "debate", "protocols", "metrics", "runtime", "studies", "analyses")
"""Folders of tests that run where a folder's own have found nothing."""
SECONDS = 600
"""The most that tests may take; one that runs longer has noticed a loop without an end."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes:
        file: below the root.
        line: from 1.
        was: the code it replaces.
        becomes: what stands there instead.
        text: the whole file with it.
    """

    file: Path
    line: int
    was: str
    becomes: str
    text: str


def mutants(file: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    source = (ROOT / file).read_bytes()
    for node in _behaviour(ast.parse(source)):
        if (other := _mutated(node)) is not None:
            yield _replaced(file, source, node, other)


def _behaviour(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions that are neither annotations nor documentation."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr) and not isinstance(node, ast.JoinedStr):
                yield child
            if not isinstance(child, ast.JoinedStr):
                yield from _behaviour(child)


def _mutated(node: ast.expr) -> ast.expr | None:  # noqa: PLR0911 -- one for each kind of fault
    """The expression with a fault; None where it can have none of these."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators) if type(op) in COMPARED:
            return ast.Compare(left, [COMPARED[type(op)]()], comparators)
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in COMPUTED:
            return ast.BinOp(left, COMPUTED[type(op)](), right)
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            return ast.Constant(value + 1)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
    return None


def _replaced(file: Path, source: bytes, node: ast.expr, other: ast.expr) -> Mutant:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    becomes = f"({ast.unparse(other)})"
    text = source[:start] + becomes.encode() + source[end:]
    return Mutant(file, node.lineno, source[start:end].decode(), becomes, text.decode())


def killers(mutant: Mutant, copy: Path, tests: list[str]) -> str:
    """The first test that fails on a mutant, or empty."""
    there = copy / mutant.file
    before = there.read_text()
    there.write_text(mutant.text)
    try:
        for paths in tests:
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", *paths.split()]
            path = os.pathsep.join([str(copy / "src"), str(copy / "tests")])
            try:
                done = subprocess.run(
                    command,
                    cwd=copy,
                    env=os.environ | {"PYTHONPATH": path},
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=SECONDS,
                )
            except subprocess.TimeoutExpired:
                return f"tests of {paths} did not end"
            if done.returncode:
                said = (done.stdout + done.stderr).splitlines()
                failed = [line for line in said if line.startswith(("FAILED", "ERROR", "E  "))]
                return (failed or said or ["?"])[-1][:160]
        return ""
    finally:
        there.write_text(before)


def main() -> None:
    """Draw mutants, and tell which live."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    source = ROOT / "src" / "moot"
    files = sorted(
        path.relative_to(ROOT)
        for path in source.rglob("*.py")
        if set(FOLDERS) & {*path.relative_to(source).parts, path.stem}
    )
    every = [mutant for file in files for mutant in mutants(file)]
    drawn = random.Random(given.seed).sample(every, given.count)
    print(f"{len(every)} mutants of {len(files)} files; {given.count} drawn, seed {given.seed}")
    alive = 0
    with TemporaryDirectory() as scratch:
        copy = Path(scratch) / "moot"
        (Path(scratch) / "shared").symlink_to(ROOT.parent / "shared")
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", copy, "HEAD"], check=True)
        try:
            for mutant in drawn:
                own = f"tests/{mutant.file.parts[2]}"
                wider = [f"tests/{each}" for each in WIDER if (copy / "tests" / each).is_dir()]
                tests = ([own] if (copy / own).is_dir() else []) + [" ".join(wider)]
                killer = killers(mutant, copy, tests)
                alive += not killer
                place = f"{mutant.file}:{mutant.line}"
                print(f"{'killed' if killer else 'LIVES '} {place}: {mutant.was!r}")
                print(f"       -> {mutant.becomes!r}  {killer}", flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", copy], check=True)
    print(f"{alive} of {len(drawn)} live")
    sys.exit(bool(alive))


if __name__ == "__main__":
    main()
