"""Places of moot's code in which a fault can be put, and the faults."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mutant_copies import PROBE

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
        key: what it is known by, wherever its file lies.
        file: below the root.
        line: from 1.
        start: the place of the code it replaces, in bytes.
        end: where that code ends.
        was: this code.
        becomes: what stands there instead.
    """

    key: str
    file: Path
    line: int
    start: int
    end: int
    was: str
    becomes: str

    def replaced(self, source: bytes, other: str) -> bytes:
        """A source with other code in the mutant's place."""
        return source[: self.start] + other.encode() + source[self.end :]


def mutants(root: Path, files: Iterable[Path]) -> list[Mutant]:
    """Every mutant of some files; equal ones of one function have a number."""
    seen: Counter[str] = Counter()
    found = []
    for file in files:
        source = (root / file).read_bytes()
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for node, place in _behaviour(ast.parse(source)):
            if (other := _mutated(node)) is None:
                continue
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            was, becomes = source[start:end].decode(), f"({ast.unparse(other)})"
            name = f"{file.name}:{place}: {was} -> {becomes}"
            seen[name] += 1
            key = f"{name} #{seen[name]}"
            found.append(Mutant(key, file, node.lineno, start, end, was, becomes))
    return found


def ranked(root: Path, folders: Iterable[str], seed: int) -> list[Mutant]:
    """All mutants of folders of the source, in the order that a seed gives."""
    source = root / "src" / "moot"
    files = {
        path.relative_to(root)
        for folder in folders
        for path in source.rglob("*.py")
        if folder in {".", *path.relative_to(source).parts, path.stem}
    }
    every = mutants(root, sorted(files))
    return sorted(every, key=lambda each: sha256(f"{seed}\n{each.key}".encode()).digest())


def _behaviour(node: ast.AST, place: str = "") -> Iterator[tuple[ast.expr, str]]:
    """Expressions that are neither annotations nor documentation, and what they stand in."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        place = f"{place}.{node.name}".lstrip(".")
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr) and not isinstance(node, ast.JoinedStr):
                yield child, place
            if not isinstance(child, ast.JoinedStr):
                yield from _behaviour(child, place)


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


def with_probes(root: Path, drawn: list[Mutant]) -> dict[Path, str]:
    """The files of mutants, with a probe in each one's place where the grammar has room for it."""
    return {
        file: _with_probes((root / file).read_bytes(), dict(_of(file, drawn))).decode()
        for file in {each.file for each in drawn}
    }


def _of(file: Path, drawn: list[Mutant]) -> Iterator[tuple[int, Mutant]]:
    return ((number, each) for number, each in enumerate(drawn) if each.file == file)


def _with_probes(source: bytes, numbered: dict[int, Mutant]) -> bytes:
    """One file's source; a probe within another stands inside of it."""
    parts = []
    for number, each in numbered.items():
        call = f'(__import__("{PROBE}").reach({number}), '.encode()
        alone = each.replaced(source, call.decode() + each.was + ")[1]")
        try:
            compile(alone, each.file, "exec", dont_inherit=True)
        except SyntaxError:  # a pattern's number
            continue
        parts += [(each.start, 1, -each.end, call), (each.end, 0, -each.start, b")[1]")]
    for place, _, _, code in sorted(parts, reverse=True):
        source = source[:place] + code + source[place:]
    return source
