"""Reading summaries: the parts of each document that were read, before anything is asked."""

from collections import Counter
from collections.abc import Iterator

from moot.contrib.documents.document_readers import DocumentDetails
from moot.contrib.documents.documents import read_with_unread
from moot.extend.words import format_things, on_one_line

LONGEST = 300
"""Characters of the summary of a document."""


def summarise_reading(evidence: str) -> dict[str, str]:
    """Describe each document by its name: its passages, its author, title and year, its gaps.

    Args:
        evidence: the setting that names the documents.

    Raises:
        InputError: they cannot be read.
    """
    read, unread = read_with_unread(evidence)
    many = Counter(read.name_document(place) for place in range(len(read.pieces)))
    left = dict(read.left_out)
    told = {
        name: "; ".join([format_things(many[name], "passage"), *_describe(details)])
        + (f"; left out: {left.pop(name)}" if name in left else "")
        for name, details in read.details.items()
    }
    told |= left | dict.fromkeys(unread, "not read, since no reader knows its ending")
    return {name: on_one_line(words, LONGEST) for name, words in told.items()}


def _describe(details: DocumentDetails) -> Iterator[str]:
    """Yield the authors, title and year of a document; those that it lacks; its encoding."""
    said = [*([", ".join(details.authors)] if details.authors else []), details.title, details.year]
    if any(said):
        yield ", ".join(filter(None, said))
    lacks = (("author", details.authors), ("title", details.title), ("year", details.year))
    if missing := [name for name, has in lacks if not has]:
        yield f"states no {', no '.join(missing)}"
    if details.coding:
        yield f"read as {details.coding}"
