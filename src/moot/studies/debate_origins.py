"""The origin of a debate: digests by which a run knows that it would come out the same again.

A debate is a function of its question, its arm, its prompts, its examples, the replies in the
ledger, and code. The digest has all of these but the replies, which never change. Code is that of
moot and of the files of plug-ins. Where code has no file, or a file has changed since this process
began, there is no digest: such debates are run again.
"""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from time import time
from typing import Any

import msgspec

from moot.core.entry_points import EntryPoint
from moot.debate.debate_settings import hash_packs, list_content
from moot.debate.decision import registry as decisions
from moot.debate.feature import LAST
from moot.ledger.stored_records import SEAL_SIZE
from moot.parsing.parser import registry as parsers
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.task import Task

MOOT = Path(__file__).parent.parent
"""The folder of moot's own code."""
_MAKING = (
    *("contrib", "core", "datasets", "debate", "decisions", "parsing", "prompts"),
    *("protocols", "runtime", "stops.py"),
)
_STARTED = time()
"""Code in files that are older is the code that this process runs."""

_encode = msgspec.json.Encoder(order="deterministic").encode


class DebateOrigins:
    """The origins of a plan's debates.

    Args:
        lab: has the models.
        plan: has the debates.

    """

    def __init__(self, lab: Lab, plan: Plan) -> None:
        self._lab, self._plan = lab, plan
        self._setups: dict[tuple[str, str], Any] = {}

    def find(self, task: Task) -> bytes | None:
        """Return the origin of a debate; None where its code has no digest."""
        key = task.dataset, task.arm.name
        if key not in self._setups:
            self._setups[key] = self._digest_setup(task)
        if (setup := self._setups[key]) is None:
            return None
        digest = setup.copy()
        digest.update(_encode((task.replicate, task.question)))
        return digest.digest()  # type: ignore[no-any-return]  # a hash has no public type

    def _digest_setup(self, task: Task) -> Any:  # noqa: ANN401  a hash, which has no public type
        """Return a hash of all that the debates of an arm on a dataset have in common."""
        code = digest_protocol(task)
        if code is None:
            return None
        models = [self._lab.model(name) for name in task.settings.models]
        described = [
            (each.name, each.simulated, each.limits.context, each.limits.reply) for each in models
        ]
        prompts = list(hash_packs(task.settings, task.overlay, self._plan.kinds))
        shown = self._plan.list_loaded(task.dataset, task.arm.name)
        documents, further = (list_content(task.settings, place) for place in (1, LAST))
        content = [task.dataset, task.arm, prompts, shown, documents, described]
        return blake2b(_encode([*content, code, *further]), digest_size=SEAL_SIZE)


def digest_protocol(task: Task) -> bytes | None:
    """Return a digest of the code that a debate runs; None where it is not known.

    That is moot's own, that of its protocol and of those below it, and that of all parsers and
    decision rules. Protocols that run on another library have none.
    """
    used = [each.protocol for each in task.settings.debates]
    if any(each.needs for each in used):
        return None
    functions: list[Callable[..., Any]] = [each.algorithm for each in used]
    functions += [type(each.feature) for each in task.settings.features_within]
    functions += [each.function for each in parsers.imported]
    functions += [each.rule for each in decisions.imported]
    return digest_code(_MAKING, functions, [*parsers.plugins, *decisions.plugins])


def digest_code(
    parts: Iterable[str],
    functions: Iterable[Callable[..., Any]],
    plugins: Iterable[EntryPoint] = (),
) -> bytes | None:
    """Return a digest of parts of moot, and of the files of functions that are not moot's.

    Args:
        parts: folders and files in moot's own.
        functions: functions of moot or of plug-ins.
        plugins: plug-ins whose files count, imported or not; one that is not there brings nothing.

    Returns:
        None where a function has no file, or a file has changed since this process began.
    """
    names = {getattr(each, "__module__", "") for each in functions}
    names |= {each.module for each in plugins if _find_file(each.module.partition(".")[0])}
    modules = sorted(name for name in names if name.partition(".")[0] != "moot")
    digests = [*map(_digest_own, parts), *map(_digest_module, modules)]
    if None in digests:
        return None
    return blake2b(_encode([modules, digests]), digest_size=SEAL_SIZE).digest()


@cache
def _digest_own(part: str) -> bytes | None:
    """Return the digest of a folder or file of moot."""
    return _digest_files(MOOT / part)


@cache
def _digest_module(name: str) -> bytes | None:
    """Return the digest of a module's file; of the whole package where it is in one."""
    for each in (name.partition(".")[0], name):
        if (file := _find_file(each)) is not None:
            place = Path(file)
            in_package = place.name == "__init__.py"
            if in_package or each == name:
                return _digest_files(place.parent if in_package else place)
    return None


def _find_file(module: str) -> str | None:
    """Return the file of a module, which need not be imported; None where it has none."""
    if module in sys.modules:
        return getattr(sys.modules[module], "__file__", None)
    found = None
    with suppress(ImportError):
        found = find_spec(module)
    return found.origin if found else None


def _digest_files(place: Path) -> bytes | None:
    """Return the digest of a file, or of all files of Python in a folder.

    Returns:
        None where one cannot be read, or has changed since this process began.
    """
    files = [place]
    if place.is_dir():
        found = (Path(folder, name) for folder, _, names in os.walk(place) for name in names)
        files = sorted(each for each in found if each.suffix == ".py")
    digest = blake2b(digest_size=SEAL_SIZE)
    for file in files:
        try:
            with file.open("rb") as opened:
                if os.fstat(opened.fileno()).st_mtime >= _STARTED:
                    return None
                digest.update(_encode([file.relative_to(place.parent).as_posix(), opened.read()]))
        except OSError:
            return None
    return digest.digest()
