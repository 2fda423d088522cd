"""The contract of ``contrib/``: what its parts may use of moot, and the debt that is left.

    python tools/contract.py             check, and print the debt of each part
    python tools/contract.py --record    write lower figures into contract.toml; none grows

A part imports ``moot``, ``moot.extend``, itself, and the parts that ``contract.toml`` allows it.
The core imports no part, but for what ``contract.toml`` excepts with its reason. What does not
hold yet is debt: for each file of a part the names of moot's internal modules that it uses, for
each file of the core the names of parts. An import is seen anywhere in a file; so is a string that
is the path of a module, such as ``"moot.debate.views"`` or ``"moot.debate.views:View"``.
"""

import argparse
import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "moot"
DEBT = Path(__file__).with_suffix(".toml")
MODULE = re.compile(r"(moot(?:\.[a-z_]\w*)+)(?::[\w.]+)?")
HEAD = """\
# Which parts of contrib/ may use which others, and the debt of the contract: names of internal
# modules that the files of parts use, and parts that files of the core name. See contract.py.
"""


def find_uses(file: Path, source: Path = SOURCE) -> set[str]:
    """Return the names of moot that a file uses, each as ``module`` or ``module:name``."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                inner = source.parent.joinpath(*module.split("."))
                for each in names:
                    is_module = (inner / f"{each.name}.py").exists() or (inner / each.name).is_dir()
                    found.add(f"{module}.{each.name}" if is_module else f"{module}:{each.name}")
            case ast.Import(names=names):
                found |= {each.name for each in names}
            case ast.Constant(value=str(text)) if named := MODULE.fullmatch(text):
                place = source.parent.joinpath(*named[1].split("."))
                if place.with_suffix(".py").exists() or place.is_dir():
                    found.add(text)
    return {each for each in found if re.match(r"moot[.:]", each)}


def part_of(use: str) -> str:
    """Return the part in which a used name is; empty for one of the core."""
    words = use.partition(":")[0].split(".")
    return words[2] if words[1:2] == ["contrib"] and len(words) > 2 else ""


def is_public(use: str) -> bool:
    """Whether every package may use a name: it is one of ``moot`` or of ``moot.extend``."""
    module, _, name = use.partition(":")
    return module.startswith("moot.extend") or (module == "moot" and bool(name))


def find_debt(
    source: Path, allowed: dict[str, list[str]], excepted: dict[str, str] | None = None
) -> tuple[dict[str, int], list[str]]:
    """Return the debt by file, and the uses of a part that nothing allows."""
    debt, refused = Counter[str](), []
    for file in sorted(source.rglob("*.py")):
        place = file.relative_to(source)
        own = place.parts[1] if place.parts[0] == "contrib" and len(place.parts) > 2 else ""
        for use in sorted(find_uses(file, source)):
            part = part_of(use)
            if own and part not in {"", own, *allowed.get(own, [])}:
                refused.append(f"{place} uses {use}: {own} may not use {part}")
            owed = not part and not is_public(use) if own else bool(part)
            owed = owed and f"{place.as_posix()} {use}" not in (excepted or {})
            debt[place.as_posix()] += owed
    return {file: count for file, count in debt.items() if count}, refused


def compare(debt: dict[str, int], recorded: dict[str, int]) -> Iterator[str]:
    """Yield what differs from the recorded debt, in words."""
    for file in sorted(debt.keys() | recorded.keys()):
        now, before = debt.get(file, 0), recorded.get(file, 0)
        if now > before:
            yield f"{file} owes {now} names, recorded are {before}: use moot.extend, or a port"
        elif now < before:
            yield f"{file} owes {now} names, recorded are {before}: run with --record"


def sum_debt(debt: dict[str, int]) -> dict[str, int]:
    """Return the debt by part, and that of the core."""
    parts = Counter[str]()
    for file, count in debt.items():
        words = file.split("/")
        parts[words[1] if words[0] == "contrib" else "core"] += count
    return dict(sorted(parts.items()))


def write_debt(recorded: dict[str, Any], debt: dict[str, int]) -> None:
    """Write the file of debt, with what else is recorded."""
    lines = [HEAD, "[allowed]"]
    allowed = sorted(recorded["allowed"].items())
    lines += [f"{part} = {others}".replace("'", '"') for part, others in allowed]
    lines += ["", "[excepted]"]
    lines += [f'"{use}" = "{reason}"' for use, reason in sorted(recorded["excepted"].items())]
    lines += ["", "[debt]", *(f'"{file}" = {count}' for file, count in sorted(debt.items())), ""]
    DEBT.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Check the contract; exit with 1 where it does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="write lower figures")
    options = parser.parse_args()
    recorded = tomllib.loads(DEBT.read_text(encoding="utf-8"))
    debt, refused = find_debt(SOURCE, recorded["allowed"], recorded["excepted"])
    if options.record:
        lower = {file: min(count, recorded["debt"].get(file, 0)) for file, count in debt.items()}
        recorded["debt"] = {file: count for file, count in lower.items() if count}
        write_debt(recorded, recorded["debt"])
    faults = [*refused, *compare(debt, recorded["debt"])]
    for fault in faults:
        print(fault)
    for part, count in sum_debt(debt).items():
        print(f"{part:12} owes {count:4} names")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
