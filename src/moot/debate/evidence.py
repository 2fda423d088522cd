"""Evidence: passages of a user's documents, looked up and shown by number."""

from asyncio import to_thread
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.core.errors import place_errors
from moot.core.events import Searched
from moot.core.passages import Passage
from moot.debate.debate import Debate
from moot.debate.documents import hash_folder, list_unread
from moot.debate.folder_index import check_folder, index_folder
from moot.debate.protocol_settings import SEARCH_BY, SearchMethod

MOST_UNREAD = 20
"""The most files of which a transcript says that they were not searched."""


async def consult(debate: Debate, *queries: str) -> tuple[Passage, ...]:
    """Look something up in the folder that the setting ``evidence`` names.

    What was looked up and found goes into the transcript. Nothing is looked up, and nothing
    recorded, where the setting is empty.

    Args:
        debate: its settings are ``evidence``, the folder, ``passages``, the most there are, and
            ``search_by``.
        queries: what is looked up, each in words of its own.

    Returns:
        What ``search`` finds; ``numbered`` is how prompts show it.

    Raises:
        InputError: the folder cannot be searched; ``ready`` finds that out before any call.
    """
    settings = debate.context.settings
    if not settings["evidence"]:
        return ()
    by = settings.get("search_by", SEARCH_BY)
    found = await to_thread(search, settings["evidence"], queries, settings["passages"], by)
    told = "\n".join(" ".join(query.split()) for query in queries)
    node = debate.context.node
    unread = tuple(list_unread(settings["evidence"])[:MOST_UNREAD])
    after = debate.newest_turn
    debate.record(Searched(query=told, passages=found, after=after, node=node, unread=unread))
    return found


def check_evidence(settings: Mapping[str, Any], where: str) -> None:
    """Check that the folders of these settings, and of a network's nodes, can be searched.

    Looked at where a debate is made ready, not where its settings are checked: a server checks what
    a client sends before it says what a client may set, and no path of a client is to be looked at.

    Raises:
        InputError: it cannot; the text names the setting and why, see ``check_folder``.
    """
    if folder := settings.get("evidence"):
        with place_errors(f"{where}: evidence = {folder!r}"):
            check_folder(folder, settings.get("search_by", SEARCH_BY))
    for node in settings.get("nodes", ()):
        check_evidence(node, f"{where}, node {node['name']!r}")


def hash_evidence(settings: Mapping[str, Any]) -> list[str]:
    """A hash of the documents in each folder of these settings, none where there is none.

    Other documents are another evidence, so a run's key has it. Raises ``InputError`` as ``ready``.
    """
    nodes = (one for node in settings.get("nodes", ()) for one in hash_evidence(node))
    own = [hash_folder(settings["evidence"])] if settings.get("evidence") else []
    return [*own, *nodes]


def resolve_evidence(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a file with what they name as evidence relative to that file's folder."""
    made = dict(settings)
    if isinstance(named := made.get("evidence"), str) and named:
        made["evidence"] = str(folder / named)
    if isinstance(nodes := made.get("nodes"), list):
        made["nodes"] = [
            resolve_evidence(n, folder) if isinstance(n, Mapping) else n for n in nodes
        ]
    return made


def number_passages(passages: Iterable[Passage]) -> str:
    """Passages as a prompt shows them: number and source in a line, the words below."""
    return "\n\n".join(f"[{each.number}] ({each.source})\n{each.text}" for each in passages)


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
    return tuple(Passage(number, *piece) for number, piece in enumerate(chosen, 1))
