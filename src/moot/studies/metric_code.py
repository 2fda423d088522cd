"""Digests of the code of metrics: whether stored values are what it would measure now.

Metrics of one module are a part: they depend on the same code, and are measured together. Those
that the end of a run shows are a part of their own. A debate's record has the digests of the parts
that have measured it.
"""

import os
import re
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from moot.metrics.debaters import keep_last
from moot.metrics.metric import Metric, MetricPlan, registry
from moot.metrics.run_end import RUN_END
from moot.studies.debate_origins import MOOT, digest_code

_FOLDERS = ("core", "debate", "metrics", "parsing", "statistics")
"""The parts of moot on which values may depend: a metric calls nothing and stores nothing."""
_SIZE = 4
_VERSION = b"\1"
_PACKAGES = rf"moot\.(?:{'|'.join(_FOLDERS)}|contrib)"
_imports = re.compile(
    rf"^[ \t]*(?:from ({_PACKAGES}[\w.]*) import (\([^)]*\)|.*)|import ({_PACKAGES}[\w.]*))",
    re.MULTILINE,
)
_encode = msgspec.json.Encoder(order="deterministic").encode


class MetricPart(NamedTuple):
    """Metrics of the same code.

    Attributes:
        digest: of their names and their code.
        plan: measures them.
    """

    digest: bytes
    plan: MetricPlan


@cache
def find_run_end() -> MetricPart:
    """Return the metrics that the end of a run shows."""
    return _make_part(RUN_END)


def find_parts() -> tuple[MetricPart, ...]:
    """Return all registered metrics; those that the end of a run shows are the first part."""
    return _find_parts(registry.all())


@keep_last
def _find_parts(metrics: tuple[Metric, ...]) -> tuple[MetricPart, ...]:
    shown = {each.name for each in RUN_END.metrics}
    modules: dict[str, list[Metric]] = {}
    for each in metrics:
        if each.name not in shown:
            modules.setdefault(each.function.__module__, []).append(each)
    others = (_make_part(MetricPlan(own, parts=False)) for own in modules.values())
    return find_run_end(), *others


def _make_part(plan: MetricPlan) -> MetricPart:
    functions = [each.function for each in plan.metrics]
    modules = {each.__module__ for each in functions}
    own = all(each.startswith("moot.") for each in modules)
    code = digest_code(sorted(_list_files(modules)) if own else _FOLDERS, functions)
    content = _encode((sorted(each.name for each in plan.metrics), code))
    # What code without a digest has measured holds in this process alone.
    digest = blake2b(content, digest_size=_SIZE).digest() if code else os.urandom(_SIZE)
    return MetricPart(digest, plan)


def _list_files(modules: Iterable[str]) -> set[str]:
    """Return the files of modules of moot, and of those that they import in turn."""
    found, left = dict[str, str](), list(modules)
    while left:
        name = left.pop()
        if name not in found and (file := _find_file(name)) is not None:
            found[name] = file
            left += _list_imports(file)
    return set(found.values())


@cache
def _list_imports(file: str) -> list[str]:
    """Return the modules that a file names, and all names in them: some are modules, too."""
    found = list[str]()
    for package, names, module in _imports.findall((MOOT / file).read_text("utf-8")):
        found.append(package or module)
        found += [f"{package}.{name}" for name in re.findall(r"\w+", names)]
    return found


@cache
def _find_file(module: str) -> str | None:
    place = "/".join(module.split(".")[1:])
    files = (f"{place}.py", f"{place}/__init__.py")
    return next((each for each in files if (MOOT / each).is_file()), None)


class Measurers(NamedTuple):
    """Who has measured a debate, by digests of code.

    Attributes:
        run_end: what has measured the values that the end of a run shows.
        others: what has measured further ones.
    """

    run_end: bytes
    others: frozenset[bytes] = frozenset()

    def join(self) -> bytes:
        """Return what a record says of them."""
        return b"".join((_VERSION, self.run_end, *sorted(self.others)))


def split_measurers(measured_by: bytes | None) -> Measurers | None:
    """Return the measurers that a record has; None for one of an older moot, which has others."""
    if measured_by is None or measured_by[:1] != _VERSION or len(measured_by) % _SIZE != 1:
        return None
    run_end, *others = (
        measured_by[start : start + _SIZE] for start in range(1, len(measured_by), _SIZE)
    )
    return Measurers(run_end, frozenset(others))


@cache
def name_run_end() -> bytes:
    """Return what the record of a debate says that the end of its run has measured."""
    return Measurers(find_run_end().digest).join()


@cache
def name_none() -> bytes:
    """Return the measurers in the record of an unmeasured debate: it is measured when asked for."""
    return Measurers(bytes(_SIZE)).join()


def name_all() -> bytes:
    """Return what the record of a debate says that all metrics have measured."""
    run_end, *others = find_parts()
    return Measurers(run_end.digest, frozenset(each.digest for each in others)).join()
