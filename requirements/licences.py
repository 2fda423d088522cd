"""What is installed with moot, and with each of its extras, under which licence.

    python requirements/licences.py

It reads the metadata of what is installed, so it says nothing of an extra that is not.
"""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CORE = ""
"""The extra that is none: what every installation has."""

COPYLEFT = re.compile(
    r"\b[AL]?GPL|GNU|Affero|\bMPL|Mozilla|\bEPL|\bEUPL|\bCDDL|\bOSL|CeCILL", re.IGNORECASE
)
"""Licences that ask the same licence of what is built on them, in whole or file by file."""


def extras() -> list[str]:
    """Return the names of moot's extras, the core first."""
    return [CORE, *sorted(distribution("moot").metadata.get_all("Provides-Extra") or ())]


def find_installed(extra: str) -> tuple[dict[str, Distribution], set[str]]:
    """Follow what moot requires with an extra, and what that requires.

    Args:
        extra: the name of one of moot's extras, or ``CORE``.

    Returns:
        The distributions by name, and the names of those that are not installed.
    """
    found: dict[str, Distribution] = {}
    missing: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [("moot", extra)]
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            missing.add(name)
            continue
        waiting += _requirements(found[name], wanted)
    found.pop("moot")
    return found, missing


def _requirements(package: Distribution, extra: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each package that one requires here, with each extra asked of it."""
    for line in package.requires or ():
        required = Requirement(line)
        if required.marker is None or required.marker.evaluate({"extra": extra}):
            name = canonicalize_name(required.name)
            yield name, CORE
            yield from ((name, each) for each in required.extras)


def read_licence(package: Distribution) -> str:
    """Return the licence that a package states, in its own words; empty where it states none."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    stated = [
        line.rpartition("::")[2].strip()
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    whole = metadata.get("License") or ""
    return ", ".join(stated) or next((line.strip() for line in whole.splitlines() if line), "")


def is_copyleft(licence: str) -> bool:
    """Whether every choice that a licence leaves is copyleft."""
    return all(COPYLEFT.search(choice) for choice in re.split(r"\bOR\b", licence))


def main() -> None:
    """Print a line for each package: what asks for it, its version, its licence."""
    core, _ = find_installed(CORE)
    for extra in extras():
        found, missing = find_installed(extra)
        print(f"moot[{extra}]" if extra else "moot")
        for name in sorted(found if extra == CORE else found.keys() - core.keys()):
            licence = read_licence(found[name]) or "states none"
            mark = "  COPYLEFT" if is_copyleft(licence) else ""
            print(f"  {name:<28} {found[name].version:<12} {licence[:60]}{mark}")
        if missing:
            print(f"  not installed: {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
