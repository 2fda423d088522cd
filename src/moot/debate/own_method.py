"""Methods of a user's own, by the path of their file: ``mymethod.py:second_thoughts``.

Such a protocol is registered as ``second-thoughts@`` and the first digits of a hash of its file
and of the prompts beside it. Runs keep this name, so that a changed method is another one, and
older runs are shown without the file.
"""

import sys
from dataclasses import replace
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getsource
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from moot.core.errors import InputError, UnknownName
from moot.core.files import expand_home
from moot.debate.protocol import Protocol, registry

SIGN = "@"
"""Between the name of a user's own protocol and the hash of its file."""

_files: dict[tuple[Path, str], dict[str, Protocol]] = {}
"""The protocols of files that were read in this process, by the file and its hash."""


def show_name(name: str) -> str:
    """Return the name of a protocol without the hash of its file."""
    return name.partition(SIGN)[0]


def load_own(name: str) -> Protocol:
    """Return the protocol that a name such as ``mymethod.py:second_thoughts`` stands for.

    Args:
        name: the path of the file, and after a colon the function; without one the file has one
            protocol alone.

    Raises:
        InputError: there is no such file, it cannot be imported, or it has no or several protocols.
        UnknownName: it has none of this name.
    """
    stem, _, function = name.rpartition(".py")
    path = expand_home(f"{stem}.py", "protocol").absolute()
    try:
        code = path.read_bytes()
    except OSError as error:
        why = "there is no such file" if not path.exists() else f"{error.strerror}"
        raise InputError(f"protocol {name!r}: {path}: {why}") from None
    digest = _hash(code + _read_prompts(path))
    if (found := _files.get((path, digest))) is None:
        found = _files[path, digest] = _import_file(path, code, digest)
    wanted = function.removeprefix(":").replace("_", "-")
    if wanted and wanted not in found:
        raise UnknownName("protocol", function.removeprefix(":"), found, where=path.name)
    if not wanted and len(found) > 1:
        several = ", ".join(found)
        raise InputError(
            f"{path.name} has several protocols, {several}: name one, as in "
            f"'{path.name}:{next(iter(found))}'"
        )
    return found[wanted or next(iter(found))]


def adopt(given: Protocol) -> Protocol:
    """Return the protocol of a decorated function as runs keep it, with the hash of its code.

    One of moot's, of an installed package, or of a file named by its path is returned as it is.
    """
    module = given.algorithm.__module__
    if SIGN in given.name or module.partition(".")[0] == "moot":
        return given
    if any(each.module == module for each in registry.plugins):
        return given
    try:
        code = getsource(given.algorithm).encode()
    except (OSError, TypeError):  # typed into a console
        code = given.algorithm.__code__.co_code
    name = f"{given.name}{SIGN}{_hash(code)}"
    return registry.find(name) or _register(given, _hash(code))


def _read_prompts(path: Path) -> bytes:
    """Return the content of the file of prompts beside a file; empty without one."""
    try:
        return path.with_suffix(".toml").read_bytes()
    except OSError:
        return b""


def _hash(code: bytes) -> str:
    return blake2b(code, digest_size=5).hexdigest()


def _register(given: Protocol, digest: str) -> Protocol:
    """Return a protocol under its name with a hash; of a file in two places the newest counts."""
    made = replace(given, name=f"{given.name}{SIGN}{digest}")
    registry.add(made.name, made, again=True)
    return made


def _import_file(path: Path, code: bytes, digest: str) -> dict[str, Protocol]:
    """Return the protocols of a file, by their names. Raises ``InputError``."""
    own = f"moot_own_{path.stem}_{digest}"
    spec = spec_from_file_location(own, path)
    if spec is None:
        raise InputError(f"{path}: no Python file")
    module = module_from_spec(spec)
    sys.modules[own] = module  # annotations are looked up there
    sys.path.insert(0, str(path.parent))
    try:
        with registry.keep_apart(lambda each: each.algorithm.__module__ == own) as found:
            _execute(path, code, module)
    except BaseException:
        del sys.modules[own]
        raise
    finally:
        sys.path.remove(str(path.parent))
    if not found:
        raise InputError(
            f"{path}: no protocol in it: put @moot.protocol(paper=…, calls=…) before an async "
            "function; docs/extending.md has an example"
        )
    return {name: _register(each, digest) for name, each in found.items()}


def _execute(path: Path, code: bytes, module: ModuleType) -> None:
    """Run the code of a file. Raises ``InputError`` that names the user's own line."""
    try:
        exec(compile(code, str(path), "exec"), module.__dict__)  # noqa: S102 -- the user's own file
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: {error.msg}") from None
    except Exception as error:  # noqa: BLE001 -- whatever the user's own code raises
        trace = extract_tb(error.__traceback__)
        lines = [each.lineno for each in trace if each.filename == str(path)]
        known = isinstance(error, InputError)
        why = str(error) if known else f"{type(error).__name__}: {error}"
        raise InputError(f"{path}, line {lines[-1] if lines else 1}: {why}") from None


def is_own(name: str) -> bool:
    """Whether a name is the path of a file with a protocol, with or without a function."""
    return name.endswith(".py") or ".py:" in name
