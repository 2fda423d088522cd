"""What a dataset is: a decorated function that yields questions, and the registry of them all.

    @dataset(kinds=("number",), rows=1319, files=(File(...),), licence="MIT")
    def gsm8k(path: Path) -> Iterator[Question]:
        ...

The function says by its signature what kind of dataset it is:

- it gets one path for each of ``files``, by position, and reads the questions from them, in order;
- without files, it has its questions within it, or draws them: then it takes the keyword ``seed``
  and stops when it has no other;
- with the keyword ``folder`` it reads files of the user's, whose paths are relative to it;
- with ``obtain``, a function that downloads, it reads the file that its parameters name;
- every other keyword is a parameter of the dataset, with its type, range and help from the
  annotation: ``difficulty: Annotated[int, Meta(ge=1, le=4, description="...")] = 1``.

The function's name is the dataset's, with ``-`` for ``_``; the docstring's first line its summary.

A dataset may have a training part: worked examples, none of them one of its questions.

    @gsm8k.training(files=(File(...),))
    def worked(path: Path) -> Iterator[Example]:
        ...

Its signature follows the same rules, with files of its own. It may name parameters of the dataset,
and gets the same values.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Example, Kind, Question
from moot.core.registry import Registry

QuestionReader = Callable[..., Iterator[Question]]
ExampleReader = Callable[..., Iterator[Example]]
DownloadProgress = Callable[[str, int, int | None], None]
"""Called during a download: the file's name, the bytes received, and all bytes or None."""
Obtain = Callable[[Mapping[str, Any], DownloadProgress], Awaitable[Path]]
"""Downloads the file that a dataset's parameters name, and returns its path."""


class File(msgspec.Struct, frozen=True, kw_only=True):
    """One published file a dataset reads.

    Attributes:
        name: of the file in the library.
        url: where it is downloaded from, pinned to a version; empty if it is not published.
        sha256: of its uncompressed bytes, in hexadecimal.
        bytes: how many those are; 0 where that is not stated.
    """

    name: str
    url: str
    sha256: str
    bytes: int = 0

    @property
    def described(self) -> str:
        """Its size, if that is stated, and its checksum, for error texts."""
        return f"{f'{self.bytes} bytes with ' if self.bytes else ''}SHA-256 {self.sha256}"


@dataclass(frozen=True, kw_only=True)
class TrainingPart:
    """The training part of a dataset.

    Attributes:
        read: the decorated function.
        files: what it reads; empty when it needs no download.
    """

    read: ExampleReader
    files: tuple[File, ...]

    @property
    def keywords(self) -> tuple[str, ...]:
        """Its keywords: some of the dataset's parameters, and a seed if it is drawn."""
        return _keywords(self.read)

    @property
    def is_drawn(self) -> bool:
        """True when its examples are drawn from a seed, and not a fixed list."""
        return "seed" in self.keywords


@dataclass(eq=False, kw_only=True)
class Dataset:
    """A source of questions, and how they are read.

    Attributes:
        name: as registered.
        summary: one line.
        kinds: the kinds its questions may have.
        rows: how many questions it has with its default parameters; None when it draws them or
            its parameters name the file.
        read: the decorated function.
        files: what it reads; empty when it needs no download.
        licence: of the questions.
        paper: where it was published, or what it follows.
        obtain: downloads the file that its parameters name; None if they name none.
        needs: the library that its questions are read or drawn with, which moot's extra of the same
            name installs; empty if there is none.
        examples: its training part, or None.
    """

    name: str
    summary: str
    kinds: tuple[Kind, ...]
    rows: int | None
    read: QuestionReader
    files: tuple[File, ...]
    licence: str
    paper: str
    obtain: Obtain | None = None
    needs: str = ""
    examples: TrainingPart | None = field(default=None, init=False)

    def training(self, *, files: tuple[File, ...] = ()) -> Callable[[ExampleReader], ExampleReader]:
        """Make the function it decorates the dataset's training part.

        Args:
            files: what it reads; none has the name of another file of the dataset.
        """

        def register(read: ExampleReader) -> ExampleReader:
            made = TrainingPart(read=read, files=files)
            if strange := set(made.keywords) - {*self.parameters, "seed"}:
                raise TypeError(f"{self.name}: its training part takes {', '.join(strange)}")
            self.examples = made
            return read

        return register

    @property
    def is_drawn(self) -> bool:
        """True when its questions are drawn from a seed, and not a fixed list."""
        return "seed" in _keywords(self.read)

    @property
    def reads_user_files(self) -> bool:
        """True when it reads files of the user's that its parameters name."""
        return "folder" in _keywords(self.read)

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """Its parameters by name, each as a JSON schema with its default and description."""
        defaults = inspect.signature(self.read).parameters
        return {
            name: {**msgspec.json.schema(kind), "default": defaults[name].default}
            for name, kind in self._types.items()
        }

    @property
    def is_installed(self) -> bool:
        """Whether the library that it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None

    def check_installed(self) -> None:
        """Raise ``InputError`` if the library that it needs is not installed."""
        if not self.is_installed:
            raise InputError(
                f"dataset {self.name!r}: it needs {self.needs}, which is not installed: "
                f"pip install 'moot[{self.needs}]'"
            )

    def check_settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every parameter: as given, else its default.

        Of a late one, which older runs do not have, the default is left out.

        Raises:
            UnknownName: for a parameter the dataset does not have; it names those that it has.
            InputError: for a value of the wrong type or out of range.
        """
        settings = {name: spec["default"] for name, spec in self.parameters.items()}
        for name, value in given.items():
            if name not in settings:
                where = f"dataset {self.name!r}"
                raise UnknownName("parameter", name, settings, where=where)
            try:
                # Texts come from a command line, where everything is text.
                strict = not isinstance(value, str)
                settings[name] = msgspec.convert(value, self._types[name], strict=strict)
            except msgspec.ValidationError as error:
                spec = self.parameters[name]
                forms = [spec, *spec.get("anyOf", ())]
                valid = [choice for form in forms for choice in form.get("enum", ())]
                expected = f"Expected one of {', '.join(map(repr, valid))}" if valid else str(error)
                raise InputError(
                    f"dataset {self.name!r}, parameter {name!r}: {expected}; got {value!r}, "
                    f"the default is {settings[name]!r}"
                ) from None
        late = {name for name, spec in self.parameters.items() if spec.get("late")}
        return {
            name: value
            for name, value in settings.items()
            if name not in late or value != self.parameters[name]["default"]
        }

    @cached_property
    def _types(self) -> dict[str, Any]:
        hints = get_type_hints(self.read, include_extras=True)
        own = set(_keywords(self.read)) - {"seed", "folder"}
        return {name: kind for name, kind in hints.items() if name in own}


def _keywords(read: Callable[..., object]) -> tuple[str, ...]:
    parameters = inspect.signature(read).parameters.values()
    return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)


registry: Registry[Dataset] = Registry("dataset", "moot.datasets", table="DATASETS")
"""Datasets by name; another package adds its own by an entry point in ``moot.datasets``."""


def dataset(
    *,
    kinds: tuple[Kind, ...],
    rows: int | None = None,
    files: tuple[File, ...] = (),
    licence: str = "unknown",
    paper: str = "",
    obtain: Obtain | None = None,
    needs: str = "",
) -> Callable[[QuestionReader], Dataset]:
    """Make a dataset of the function it decorates, and register it.

    Args:
        kinds: the kinds its questions may have.
        rows: how many questions it has; None when it draws them from a seed, or its parameters
            name the file.
        files: what it reads: the function gets their paths, in this order.
        licence: of the questions.
        paper: where it was published, or what it follows.
        obtain: downloads the file that its parameters name.
        needs: the library that questions are read or drawn with, where an extra of the same name
            installs it.
    """

    def register(read: QuestionReader) -> Dataset:
        made = Dataset(
            name=read.__name__.replace("_", "-"),
            summary=(inspect.getdoc(read) or "").partition("\n")[0],
            kinds=kinds,
            rows=rows,
            read=read,
            files=files,
            licence=licence,
            paper=paper,
            obtain=obtain,
            needs=needs,
        )
        if bool(made.is_drawn or made.reads_user_files or obtain) != (rows is None):
            raise TypeError(
                f"{made.name}: a dataset either takes a seed or says how many rows it has"
            )
        registry.add(made.name, made)
        return made

    return register
