"""The golden files of moot: what differs from them, in words.

python tools/golden.py                            compare all groups
python tools/golden.py debates help               compare these
python tools/golden.py --list                     the groups, and what is packed of each
python tools/golden.py --record help              keep the words of a group as they are now
python tools/golden.py --record debates --figures keep its figures, too: never lightly

The exit code is 1 when anything differs.
"""

import argparse
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from golden import groups, packed  # noqa: E402 -- tests are no package


def list_groups() -> None:
    """Print each group with the size of its files."""
    for name, group in groups.GROUPS.items():
        print(f"{name}: {group.about}")
        for path in sorted(packed.FOLDER.glob(f"{name}.*")):
            print(f"    {path.name}: {path.stat().st_size:,} bytes")


def check(names: list[str], most: int) -> bool:
    """Print what differs; return whether anything does."""
    differs = False
    for name in names:
        made = groups.GROUPS[name].make()
        for kind in groups.KINDS:
            lines = groups.check(name, made, kind, most) if kind in made else []
            differs |= bool(lines)
            if kind in made:
                print(f"{name}, {kind}: {'changed' if lines else 'same'}", flush=True)
            for line in lines:
                print(f"    {line}")
    return differs


def record(name: str, *, figures: bool) -> None:
    """Keep a group as it is now."""
    made = groups.GROUPS[name].make(record=figures)
    lines = []
    if "figures" in made and not figures:
        lines = groups.check(name, made, "figures")
    for file, size in groups.record(name, made, figures=figures).items():
        print(f"{file}: {size:,} bytes")
    if lines:
        print(f"the figures of {name} differ, too; they stay as recorded without --figures:")
        print("\n".join(f"    {line}" for line in lines))


def main() -> None:
    """Compare, list or record."""
    words = {"description": __doc__, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(**words)
    known = [*groups.GROUPS]
    parser.add_argument("names", nargs="*", metavar="GROUP", help=", ".join(known))
    parser.add_argument("--record", metavar="GROUP", choices=known)
    parser.add_argument("--figures", action="store_true", help="record figures, too")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--most", type=int, default=20, help="differences shown of each group")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"no group {unknown[0]!r}; there are {', '.join(known)}")
    if given.list:
        list_groups()
    elif given.record:
        record(given.record, figures=given.figures)
    else:
        sys.exit(check(given.names or known, given.most))


if __name__ == "__main__":
    main()
