"""Evidence: passages of a user's documents, looked up and shown by number."""

from asyncio import to_thread
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import UNSET

from moot.core.errors import InputError, place_errors
from moot.core.events import Searched
from moot.core.passages import Passage
from moot.core.questions import Question
from moot.debate.agent_config import CROWDS
from moot.debate.context import Listener
from moot.debate.debate import Debate
from moot.debate.documents import hash_folder, read_with_unread
from moot.debate.folder_index import check_folder, index_folder
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import (
    FEW_PASSAGES,
    OWN_DOCUMENTS,
    SEARCH_BY,
    SearchMethod,
)
from moot.debate.shown_evidence import (
    EvidenceSource,
    FoundEvidence,
    FoundPassages,
    find_source,
)
from moot.debate.toolbox import is_tool
from moot.debate.views import View

FurtherQueries = Callable[[Sequence[Passage]], Sequence[str]]
MOST_UNREAD = 20
"""The most files of which a transcript says that they were not searched."""


async def find_evidence(
    protocol: Protocol,
    settings: Mapping[str, Any],
    listen: Listener,
    question: Question,
    node: str = "",
) -> FoundEvidence:
    """Find the passages that agents read before a question, by the question's text.

    They are numbered through over all sources, and each search is told. Nothing is looked up for a
    protocol that does so itself, and where no documents are named.

    Args:
        protocol: of the debate.
        settings: of the debate.
        listen: is called with each search.
        question: what is debated.
        node: where the question is debated; empty for the debate's own.
    """
    found: dict[EvidenceSource, tuple[Passage, ...]] = {}
    numbers: dict[tuple[str, str, str], int] = {}
    sources = list(dict.fromkeys(list_sources(protocol, settings)))
    for source in sources:
        passages = await _find_passages(question, source, [question.text])
        places = [(source.folder, each.source, each.text) for each in passages]
        found[source] = tuple(
            Passage(numbers.setdefault(place, len(numbers) + 1), *place[1:]) for place in places
        )
        told = await _describe_reading(source.folder, passages)
        listen(
            Searched(
                query=question.text,
                passages=found[source],
                node=node,
                folder=Path(source.folder).name if len(sources) > 1 else UNSET,
                **told,
            )
        )
    return found


def list_sources(protocol: Protocol, settings: Mapping[str, Any]) -> Iterator[EvidenceSource]:
    """Yield the sources of the agents of a debate, and of a network's nodes, in their order."""
    if not protocol.looks_up:
        own = (find_source({**settings, **entry}) for entry in settings.get("cast", ()))
        yield from (source for source in (find_source(settings), *own) if source is not None)
    for node in settings.get("nodes", ()):
        yield from list_sources(protocols.get(node["protocol"]), node)


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
    folder = debate.context.settings["evidence"]
    if not folder:
        return FoundPassages()
    return FoundPassages(await _search_folder(debate, folder, queries, debate.newest_turn, further))


async def look_up(debate: Debate, source: str, query: str, asked: View) -> tuple[Passage, ...]:
    """Look something up in a source of the setting ``sources``, and record what is found.

    Args:
        debate: its settings are those of ``consult``, and ``tools``.
        source: a folder, or a tool ``NAME.TOOL`` of a server in ``tools``.
        query: what is looked up.
        asked: the view of the agent that wants it.
    """
    if not is_tool(source, debate.context.settings):
        return await _search_folder(debate, source, [query], asked.turn.id)
    return await debate.call_for(asked, source, query)


async def _search_folder(
    debate: Debate,
    folder: str,
    queries: Sequence[str],
    after: int,
    further: FurtherQueries | None = None,
) -> tuple[Passage, ...]:
    """Search a folder, and record what is found."""
    settings = debate.context.settings
    by = settings.get("search_by", SEARCH_BY)
    source = EvidenceSource(folder, settings["passages"], by)
    found = await _find_passages(debate.question, source, queries)
    if further and (others := further(found)):
        queries = (*queries, *others)
        more = await _find_passages(debate.question, source, others)
        known = {(each.source, each.text) for each in found}
        new = [each for each in more if (each.source, each.text) not in known]
        found += tuple(
            Passage(number, each.source, each.text)
            for number, each in enumerate(new, len(found) + 1)
        )
    told = "\n".join(" ".join(query.split()) for query in queries)
    node = debate.context.node
    about = await _describe_reading(folder, found)
    debate.record(Searched(query=told, passages=found, after=after, node=node, **about))
    return found


async def _find_passages(
    question: Question, source: EvidenceSource, queries: Sequence[str]
) -> tuple[Passage, ...]:
    """Return what ``search`` finds in a folder, or the question's own documents, in order."""
    folder, most, by = source
    if folder != OWN_DOCUMENTS:
        return await to_thread(search, folder, queries, most, by)
    own = enumerate((question.documents or ())[:most], 1)
    return tuple(Passage(number, each.source, each.text) for number, each in own)


async def _describe_reading(folder: str, found: Iterable[Passage]) -> dict[str, Any]:
    """Return what a search of a folder does not show: files, parts of them, whole documents."""
    if folder == OWN_DOCUMENTS:
        return {}
    read, unread = await to_thread(read_with_unread, folder)
    sources = [each.source for each in found]
    unused = tuple(
        name
        for name, _ in read.documents
        if not any(source.startswith((f"{name}:", f"{name}, ")) for source in sources)
    )
    return {
        "unread": tuple(unread[:MOST_UNREAD]),
        "left_out": read.left_out[:MOST_UNREAD] or UNSET,
        "unused": unused[:MOST_UNREAD] or UNSET,
    }


def check_own_documents(
    settings: Mapping[str, Any], questions: Collection[Iterable[Question]], where: str
) -> None:
    """Check that questions have documents, and no more than are shown, where agents read these.

    Raises:
        InputError: one has none, or more than the setting ``passages`` allows.
    """
    named = [entry.get("evidence") for entry in (settings, *settings.get("cast", ()))]
    if OWN_DOCUMENTS in named:
        most = settings.get("passages", FEW_PASSAGES)
        for question in chain.from_iterable(questions):
            many = len(question.documents or ())
            if not many or many > most:
                raise InputError(
                    f"{where}: evidence = {OWN_DOCUMENTS!r}: question {question.id!r} has "
                    + (f"{many} documents; set passages = {many}" if many else "no documents")
                    + f"; a folder of this name is './{OWN_DOCUMENTS}'" * (not many)
                )
    for node in settings.get("nodes", ()):
        check_own_documents(node, questions, f"{where}, node {node['name']!r}")


def _folders_in(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the folders that settings name, each with the name of its setting."""
    named = [("evidence", folder)] if (folder := settings.get("evidence")) else []
    sources = [each for each in settings.get("sources", ()) if not is_tool(each, settings)]
    own = [
        (f"agents[{number}]: evidence", folder)
        for number, entry in enumerate(settings.get("cast", ()), 1)
        if (folder := entry.get("evidence"))
    ]
    every = [*named, *own, *(("sources", each) for each in sources)]
    return [(place, folder) for place, folder in every if folder != OWN_DOCUMENTS]


def check_evidence(settings: Mapping[str, Any], where: str) -> None:
    """Check that the folders of these settings, and of a network's nodes, can be searched.

    Looked at where a debate is made ready, not where its settings are checked: a server checks what
    a client sends before it says what a client may set, and no path of a client is to be looked at.

    Raises:
        InputError: it cannot; the text names the setting and why, see ``check_folder``.
    """
    for name, folder in _folders_in(settings):
        with place_errors(f"{where}: {name} = {folder!r}"):
            check_folder(folder, settings.get("search_by", SEARCH_BY))
    for node in settings.get("nodes", ()):
        check_evidence(node, f"{where}, node {node['name']!r}")


def hash_evidence(settings: Mapping[str, Any]) -> list[str]:
    """A hash of the documents in each folder of these settings, none where there is none.

    Other documents are another evidence, so a run's key has it. Raises ``InputError`` as ``ready``.
    """
    nodes = (one for node in settings.get("nodes", ()) for one in hash_evidence(node))
    return [*(hash_folder(own) for _, own in _folders_in(settings)), *nodes]


def resolve_evidence(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a file with what they name as evidence relative to that file's folder."""
    made = dict(settings)
    if isinstance(named := made.get("evidence"), str) and named not in {"", OWN_DOCUMENTS}:
        made["evidence"] = str(folder / named)
    if isinstance(sources := made.get("sources"), list):
        made["sources"] = [
            str(folder / each) if isinstance(each, str) and not is_tool(each, made) else each
            for each in sources
        ]
    for name in ("nodes", "cast", *CROWDS):
        if isinstance(tables := made.get(name), list):
            made[name] = [
                resolve_evidence(each, folder) if isinstance(each, Mapping) else each
                for each in tables
            ]
    return made


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
