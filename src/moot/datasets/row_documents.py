"""The documents of a question, as a row of a file has them."""

from collections.abc import Callable

import msgspec

from moot.core.errors import NOT_JSON, InputError
from moot.core.questions import Kind, QuestionDocument
from moot.datasets.canonical import RawAnswer, to_canonical

UNKNOWN = "unknown"
"""What a document says where it says no answer (RAMDocs)."""


class _DocumentCell(msgspec.Struct):
    """A document in a row; what moot does not use is not read."""

    text: str
    source: str | None = None
    answer: RawAnswer | None = None


def read_documents(
    cell: object, kind: Kind, choices: tuple[str, ...], wrong: Callable[[str], InputError]
) -> tuple[QuestionDocument, ...]:
    """Return the documents in a cell.

    Args:
        cell: a list of texts, or of tables with ``text`` and, where they are known, ``source`` and
            the ``answer`` that the document gives; or such a list as JSON, as a file of CSV has it.
        kind: of the question.
        choices: of the question.
        wrong: makes the error from what is wrong.

    Raises:
        InputError: it is no such list, or a text in it is empty.
    """
    try:
        if isinstance(cell, str):
            cell = msgspec.json.decode(cell) if cell.strip() else []
        found = msgspec.convert(cell or [], list[str | _DocumentCell])
    except NOT_JSON as why:
        message = "expected a list of texts, or of tables with text, source and answer"
        raise wrong(f"{message}: {why}") from None
    documents = []
    for number, each in enumerate(found, 1):
        read = _DocumentCell(each) if isinstance(each, str) else each
        if not read.text.strip():
            raise wrong(f"document {number} is empty")
        said = None if read.answer in {None, UNKNOWN} else read.answer
        documents.append(
            QuestionDocument(
                text=read.text.strip(),
                source=read.source or f"document {number}",
                answer=None if said is None else to_canonical(said, kind, choices),
            )
        )
    return tuple(documents)
