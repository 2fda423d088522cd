"""Evidence: passages of a user's documents, looked up and shown by number."""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from moot import Debate, Question
from moot.contrib.documents.document_readers import DocumentDetails
from moot.contrib.documents.documents import (
    ReadFolder,
    read_with_unread,
    take_beginning,
    take_end,
)
from moot.contrib.documents.folder_index import index_folder
from moot.contrib.documents.settings import OWN_DOCUMENTS, SEARCH_BY, SearchMethod
from moot.contrib.documents.shown_evidence import DocumentSettings, EvidenceSource, FoundPassages
from moot.extend.records import Passage, Searched

FurtherQueries = Callable[[Sequence[Passage]], Sequence[str]]
AROUND = 240
"""Characters that are kept of what stands before a passage in its document, and after it."""
MOST_UNREAD = 20
"""The most files of which a transcript says that they were not searched."""


async def consult(
    debate: Debate, *queries: str, further: FurtherQueries | None = None
) -> FoundPassages:
    """Look something up in the folder that the setting ``evidence`` names.

    What was looked up and found goes into the transcript. Nothing is looked up, and nothing
    recorded, where the setting is empty.

    Args:
        debate: its settings are ``evidence``, the folder, ``passages``, the most there are, and
            ``search_by``.
        queries: what is looked up, each in words of its own.
        further: says by what was found what else is looked up, for as many passages more. These
            have the numbers behind those of the others, to which a draft may refer.

    Returns:
        What ``search`` finds, and as prompts show it.

    Raises:
        InputError: the folder cannot be searched; ``ready`` finds that out before any call.
    """
    folder = read_settings(debate).evidence
    if not folder:
        return FoundPassages()
    return FoundPassages(await search_folder(debate, folder, queries, debate.newest_turn, further))


def read_settings(debate: Debate) -> DocumentSettings:
    """Return the settings of documents of a debate."""
    return msgspec.convert(debate.context.settings, DocumentSettings, strict=False)


async def search_folder(
    debate: Debate,
    folder: str,
    queries: Sequence[str],
    after: int,
    further: FurtherQueries | None = None,
) -> tuple[Passage, ...]:
    """Search a folder, and record what is found."""
    own = read_settings(debate)
    source = EvidenceSource(folder, own.passages, own.search_by)
    found = await find_passages(debate.question, source, queries)
    if further and (others := further(found)):
        queries = (*queries, *others)
        more = await find_passages(debate.question, source, others)
        known = {(each.source, each.text) for each in found}
        new = [each for each in more if (each.source, each.text) not in known]
        found += tuple(
            Passage(number, each.source, each.text)
            for number, each in enumerate(new, len(found) + 1)
        )
    told = "\n".join(" ".join(query.split()) for query in queries)
    node = debate.context.node
    about = await describe_reading(folder, found)
    debate.record(Searched(query=told, after=after, node=node, **about))
    return found


async def find_passages(
    question: Question, source: EvidenceSource, queries: Sequence[str]
) -> tuple[Passage, ...]:
    """Return the passages found in a folder, or in the question's own documents, in order."""
    folder, most, by = source
    if folder != OWN_DOCUMENTS:
        return await to_thread(search, folder, queries, most, by)
    own = enumerate((question.documents or ())[:most], 1)
    return tuple(Passage(number, each.source, each.text) for number, each in own)


async def describe_reading(folder: str, found: Sequence[Passage]) -> dict[str, Any]:
    """Return the fields of a search beside its query: passages in their documents, and the rest.

    The rest is what a search does not show: files, parts of them, whole documents.
    """
    if folder == OWN_DOCUMENTS:
        return {"passages": tuple(found)}
    read, unread = await to_thread(read_with_unread, folder)
    sources = [each.source for each in found]
    unused = tuple(
        name for name, _ in read.documents if not any(is_of(source, name) for source in sources)
    )
    return {
        **describe_passages(read, found),
        "unread": tuple(unread[:MOST_UNREAD]),
        "left_out": read.gaps[:MOST_UNREAD] or UNSET,
        "unused": unused[:MOST_UNREAD] or UNSET,
    }


def is_of(source: str, document: str) -> bool:
    """Return whether the source of a passage is in the document of this name."""
    return source.startswith((f"{document}:", f"{document}, "))


def describe_passages(read: ReadFolder, found: Sequence[Passage]) -> dict[str, Any]:
    """Return passages with what stands around them, and what their documents say of themselves.

    Args:
        read: the folder that has them.
        found: the passages.
    """
    wanted = {(each.source, each.text) for each in found}
    places = {piece[:2]: at for at, piece in enumerate(read.pieces) if piece[:2] in wanted}
    names = [name for name in read.details if any(is_of(each.source, name) for each in found)]
    rows = (
        {"document": name, **msgspec.to_builtins(read.details[name])}
        for name in names
        if read.details[name] != DocumentDetails()
    )
    passages = (_add_context(read, each, places.get((each.source, each.text))) for each in found)
    return {"passages": tuple(passages), "documents": tuple(rows) or UNSET}


def _add_context(read: ReadFolder, passage: Passage, place: int | None) -> Passage:
    """Return a passage with the sentences before and after it in its document."""
    near = read.neighbours(place) if place is not None else ()
    bodies = {each: read.pieces[each].text[read.pieces[each].heads :] for each in near}
    before, after = (bodies.get(at, "") for at in ((place or 0) - 1, (place or 0) + 1))
    return msgspec.structs.replace(
        passage,
        before=take_end(before, AROUND) or UNSET,
        after=take_beginning(after, AROUND) or UNSET,
    )


def search(
    folder: str, queries: Sequence[str], most: int, by: SearchMethod = SEARCH_BY
) -> tuple[Passage, ...]:
    """The best passages over all queries, none twice, numbered from 1, best first.

    The queries take turns, since scores of queries of unlike length do not compare: first the best
    passage of each, then the second best. There are fewer than ``most``, or none, where no more
    have anything in common with a query. Raises ``InputError`` as ``check_folder`` does.
    """
    index = index_folder(folder, by)
    ranked = [index.best(query, most) for query in queries]
    found: dict[int, None] = {}
    for place in range(most):
        found |= dict.fromkeys(rank[place] for rank in ranked if place < len(rank))
        if len(found) >= most:
            break
    chosen = (index.pieces[place] for place in list(found)[:most])
    return tuple(Passage(number, each.source, each.text) for number, each in enumerate(chosen, 1))
