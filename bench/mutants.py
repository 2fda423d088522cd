"""Whether tests notice faults: mutants of moot's code, chosen by chance, and which of them live.

    python bench/mutants.py                                  60 mutants of all of src/moot, seed 34
    python bench/mutants.py --folders parsing stops --count 5 --seed 7
    python bench/mutants.py --at COMMIT --results before.json
    python bench/mutants.py --known before.json              the same ones, now: no fewer killed?

A mutant is a commit with one fault: a comparison, an operator, a number, a truth value or a
condition is another one. Each is known by its file's name, its function, the code and the fault,
and ranked by a digest of these and the seed: where a file lies changes no draw. Tests are tried
nearest first: the file named for the module, those that one run of all tests saw reach the place
(but not the slow ones, browsers and frameworks), those that mention the module; for what runs when
a module is imported, its folder's and all others, as long as ``--limit`` lets them. A test that
fails kills if it passes without the fault, and tests that do not end if they end without it in a
third of the time. One that no test kills, lives; some of these behave no other than moot does,
which only a reader can tell. The exit code is 1 when any lives; with ``--known``, when fewer are
killed than were.
"""

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from signal import SIGTERM, signal
from time import monotonic

from mutant_copies import PROBE, Copy, copies

APART = re.compile(r"/(frameworks|cluster)/|browser")
"""Files of tests with frameworks, Ray and browsers: only a module's own is tried."""
LONG = ("slow", "soak")
"""Marks of tests that only run where they are a module's own."""

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


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        key: the mutant's.
        place: its file and line.
        fault: what was and what becomes of it.
        killer: the test that kills it, or how else it is noticed; empty where it lives.
        tried: the kind of this test, or of all.
        seconds: that all took.
    """

    key: str
    place: str
    fault: str
    killer: str
    tried: str
    seconds: float

    @property
    def killed(self) -> bool:
        """Whether any test notices it."""
        return bool(self.killer)


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


class Trial:
    """Tests, tried on mutants.

    Attributes:
        limit: seconds that the tests of one kind may take.
        reached: for each mutant's key, the tests that reach it, empty where no test ran; None
            before anything is known of it.
        took: seconds of each test without a fault.
    """

    def __init__(self, limit: float):
        self.limit = limit
        self.reached: dict[str, set[str]] | None = None
        self.took: dict[str, float] = {}

    def survey(self, copy: Copy, drawn: list[Mutant], limit: float, workers: int) -> str:
        """Run all quick tests once to see which reach each mutant's place; say how that went."""
        files = [each for each in copy.test_files() if not APART.search(each)]
        spread = ("-n", str(workers), "--dist", "worksteal", *quick(copy))
        with copy.holding(with_probes(copy.root, drawn)):
            ran = copy.run(files, limit, *spread)
        if not ran.took:
            sys.exit(f"no test ran: {ran.said}")
        self.took = ran.took
        self.reached = {each.key: set() for each in drawn}
        for number, test in copy.written("reached"):
            self.reached[drawn[number].key].add(test)
        if not ran.ended:  # what it has not come to is tried last
            for tests in self.reached.values():
                tests.add("")
        end = "to the end" if ran.ended else "as long as they might"
        return (
            f"{len(self.took)} tests ran {end}, {ran.seconds:.0f} s: {ran.said.splitlines()[-1:]}"
        )

    def first(self, copy: Copy, mutant: Mutant, killer: str) -> Iterator[tuple[str, list[str]]]:
        """Where a fault is noticed most likely: by what noticed it before, and its own tests."""
        files = copy.test_files()
        path, _, name = killer.partition("[")[0].partition("::")
        same = [each for each in files if Path(each).name == Path(path).name] if killer else []
        function = name.rpartition("::")[2]
        holding = [
            f"{each}::{name}" for each in same if _mentions(copy, each, rf"def {function}\(")
        ]
        yield "known", holding or same
        yield "own", _named_for(mutant, files)

    def then(self, copy: Copy, mutant: Mutant) -> Iterator[tuple[str, list[str]]]:
        """All others, nearest first."""
        assert self.reached is not None
        files = [each for each in copy.test_files() if not APART.search(each)]
        module = rf"\bmoot\.(\w+\.)*{mutant.file.stem}\b"
        near = [each for each in files if _mentions(copy, each, module)]
        folder = f"tests/{'/'.join(mutant.file.parent.parts[2:])}".rstrip("/") + "/"
        reached = self.reached[mutant.key]
        of_files = {
            test.partition(" (")[0].partition("::")[0] for test in reached if "(setup)" in test
        }
        tests = {test.rpartition(" (")[0] for test in reached if "(call)" in test}
        tests = {test for test in tests if test.partition("::")[0] not in of_files} | of_files

        def rank(test: str) -> tuple[bool, bool, float]:
            file = test.partition("::")[0]
            return (file not in near, not file.startswith(folder), self.took.get(test, 1))

        spent, some = 0.0, []
        for test in sorted(tests, key=rank):
            spent += self.took.get(test, 1)
            if spent < self.limit / 3:
                some.append(test)
        yield f"{len(some)} of {len(tests)} that reach it", some
        yield "those that name it", near
        if "" in reached or not reached:
            yield "its folder's", [each for each in files if each.startswith(folder)]
        if "" in reached:
            yield "all", files

    def judge(self, copy: Copy, mutant: Mutant, stages: Iterable[tuple[str, list[str]]]) -> Verdict:
        """Try one kind of tests after the other."""
        start, killer, tried = monotonic(), "", []
        place = f"{mutant.file}:{mutant.line}"
        fault = f"{mutant.was!r} -> {mutant.becomes!r}"
        for kind, tests in stages:
            if not tests:
                continue
            options = () if kind in {"known", "own"} else quick(copy)
            if killer := noticed(copy, mutant, tests, self.limit, options):
                tried = [kind]
                break
            tried.append(kind)
        seconds = round(monotonic() - start, 1)
        return Verdict(mutant.key, place, fault, killer, ", ".join(tried), seconds)


def quick(copy: Copy) -> tuple[str, ...]:
    """Options that leave out what takes long, by the marks that this commit has."""
    project = (copy.root / "pyproject.toml").read_text()
    marks = [f"not {mark}" for mark in LONG if f'"{mark}: ' in project]
    return ("-m", " and ".join(marks)) if marks else ()


def _named_for(mutant: Mutant, files: list[str]) -> list[str]:
    """The files of tests that are named for a mutant's module, or for its folder."""
    file = mutant.file
    stem = file.parent.name if file.stem == "__init__" else file.stem.strip("_")
    return [each for each in files if Path(each).name == f"test_{stem}.py"]


def _mentions(copy: Copy, file: str, pattern: str) -> bool:
    return re.search(pattern, (copy.root / file).read_text()) is not None


def noticed(
    copy: Copy, mutant: Mutant, tests: list[str], limit: float, options: tuple[str, ...]
) -> str:
    """The first test that fails on a mutant and not without it; empty where none does."""
    text = mutant.replaced((copy.root / mutant.file).read_bytes(), mutant.becomes).decode()
    spared: tuple[str, ...] = ()
    for _ in range(4):
        with copy.holding({mutant.file: text}):
            ran = copy.run(tests, limit, "-x", *options, *spared)
        if ran.passed:
            return ""
        if not ran.ended:
            without = copy.run(tests, limit / 3, "-x", *options, *spared)
            return (
                f"no end in {limit:.0f} s, else {without.seconds:.0f} s" if without.passed else ""
            )
        if ran.failed:
            if copy.run([ran.failed], limit).passed:
                return ran.failed
            spared += ("--deselect", ran.failed)
        elif copy.run(tests, limit, "--collect-only", *options).passed:
            return f"pytest does not start: {(ran.said.splitlines() or [''])[-1]}"
        else:
            tests = sorted({each.partition("::")[0] for each in tests})
    return ""


Stages = Callable[[Copy, Mutant], Iterable[tuple[str, list[str]]]]


def judged(
    trial: Trial, made: list[Copy], drawn: list[Mutant], stages: Stages
) -> Iterator[Verdict]:
    """The verdicts on mutants, as many at once as there are copies."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in made:
        free.put(copy)

    def judge(mutant: Mutant) -> Verdict:
        copy = free.get()
        try:
            return trial.judge(copy, mutant, stages(copy, mutant))
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(made)) as pool:
        for done in as_completed([pool.submit(judge, mutant) for mutant in drawn]):
            yield done.result()


class Results:
    """Verdicts by key, in a file that grows with them.

    Attributes:
        of: each verdict.
    """

    def __init__(self, file: Path | None):
        self._file = file
        self.of: dict[str, Verdict] = read(file) if file is not None and file.exists() else {}

    def add(self, verdict: Verdict) -> None:
        """Tell and keep a verdict."""
        self.of[verdict.key] = verdict
        print(f"{'killed' if verdict.killed else 'lives '} {verdict.place}  {verdict.fault}")
        print(f"       {verdict.killer or verdict.tried}  {verdict.seconds} s", flush=True)
        if self._file is not None:
            rows = [asdict(each) | {"killed": each.killed} for each in self.of.values()]
            self._file.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def read(file: Path) -> dict[str, Verdict]:
    """The verdicts that a run has written."""
    rows = json.loads(file.read_text())
    fields = Verdict.__dataclass_fields__
    return {row["key"]: Verdict(*(row[name] for name in fields)) for row in rows}


def draw(copy: Copy, given: argparse.Namespace, known: dict[str, Verdict]) -> list[Mutant]:
    """The first mutants of the ranking, of those that are known where any are."""
    every = ranked(copy.root, given.folders, given.seed)
    there = {each.key for each in every}
    for key in known.keys() - there:
        print(f"no longer in src/moot, left out: {known[key].place}  {known[key].fault}")
    drawn = [each for each in every if not known or each.key in known][: given.count]
    print(
        f"{len(every)} mutants; {len(drawn)} drawn, seed {given.seed}; {copy.origin()}", flush=True
    )
    return drawn


def compare(drawn: list[Mutant], known: dict[str, Verdict], now: dict[str, Verdict]) -> bool:
    """Say how many are killed now and were before; whether fewer are."""
    before = sum(known[each.key].killed for each in drawn)
    after = sum(now[each.key].killed for each in drawn)
    for each in drawn:
        if known[each.key].killed and not now[each.key].killed:
            print(f"was killed by {known[each.key].killer}, lives: {now[each.key].place}")
    print(f"of {len(drawn)} mutants: killed before {before}, now {after}")
    return after < before


def arguments() -> argparse.Namespace:
    """The options given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--folders", nargs="+", default=["."], help="or modules, of src/moot")
    parser.add_argument("--at", default="HEAD", metavar="COMMIT")
    parser.add_argument("--results", type=Path, help="a file to write, and to go on with")
    parser.add_argument("--known", type=Path, help="results of another commit, to compare with")
    parser.add_argument("--again", action="store_true", help="try known ones that lived again")
    parser.add_argument("--limit", type=float, default=300, help="seconds of one kind of tests")
    parser.add_argument("--survey", type=float, default=3600, help="seconds of all quick tests")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    """Draw mutants, and tell which live."""
    given = arguments()
    signal(SIGTERM, lambda *_: sys.exit(1))  # so that the copies are removed
    known = read(given.known) if given.known else {}
    trial, results = Trial(given.limit), Results(given.results)
    with copies(given.at, given.jobs) as made:
        drawn = draw(made[0], given, known)
        if kept := [each for each in drawn if each.key in results.of]:
            print(f"{len(kept)} of them are in {given.results} and not tried again")
        for each in drawn:
            old = known.get(each.key)
            if old and not old.killed and not given.again and each.key not in results.of:
                place = f"{each.file}:{each.line}"
                results.add(replace(old, place=place, tried="lived before, not tried again"))
        left = [each for each in drawn if each.key not in results.of]
        killers = {key: each.killer for key, each in known.items()}
        for verdict in judged(
            trial, made, left, lambda c, m: trial.first(c, m, killers.get(m.key, ""))
        ):
            if verdict.killed:
                results.add(verdict)
        if left := [each for each in drawn if each.key not in results.of]:
            print(f"{len(left)} are left; all quick tests run to see which reach them", flush=True)
            print(trial.survey(made[0], left, given.survey, given.jobs), flush=True)
            for verdict in judged(trial, made, left, trial.then):
                results.add(verdict)
    alive = sum(not results.of[each.key].killed for each in drawn)
    print(f"{alive} of {len(drawn)} live")
    sys.exit(compare(drawn, known, results.of) if known else bool(alive))


if __name__ == "__main__":
    main()
