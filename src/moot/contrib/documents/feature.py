"""Documents: agents read passages of a user's, or of the question's, before they answer."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from moot import Agent, InputError, Question
from moot.contrib.documents.documents import hash_folder, resolve_sources
from moot.contrib.documents.evidence import describe_reading, find_passages
from moot.contrib.documents.folder_index import check_folder
from moot.contrib.documents.settings import OWN_DOCUMENTS, is_tool
from moot.contrib.documents.shown_evidence import (
    DocumentSettings,
    EvidenceSource,
    FoundEvidence,
    forbid_evidence,
    pose_with_passages,
)
from moot.extend.faults import place_errors
from moot.extend.protocols import DebateSettings, Environment, Feature, Pack
from moot.extend.records import Passage, Searched


@dataclass(slots=True)
class ShownDocuments:
    """The passages that the agents of a debate are shown.

    Attributes:
        settings: of the outermost debate.
        own: which documents agents read, where they have none of their own.
        found: the passages, by their source; None before anything was looked up.
    """

    settings: DebateSettings
    own: DocumentSettings
    found: FoundEvidence | None = None


class AgentDocuments(msgspec.Struct, frozen=True, kw_only=True):
    """The documents of one agent.

    Attributes:
        evidence: the documents that these agents read; empty for none.
    """

    evidence: str | UnsetType = UNSET


class Documents(Feature):
    """Agents read passages of documents before the question."""

    names = ("evidence", "passages", "search_by")
    Settings = DocumentSettings
    PerAgent = AgentDocuments
    seen_in = ("sources",)
    key_place = 1

    def is_on(self, own: DocumentSettings) -> bool:
        """Return whether documents are named."""
        return bool(own.evidence)

    def check(
        self, own: DocumentSettings, whole: DebateSettings, place: str, pack: Pack
    ) -> DocumentSettings:
        """Return the settings. Raise ``InputError`` where agents cannot have documents."""
        protocol = whole.protocol
        if protocol.looks_up or protocol.needs:
            forbid_evidence(whole.cast, protocol.name, where=place)
        return own

    def check_questions(
        self,
        own: DocumentSettings,
        whole: DebateSettings,
        questions: Mapping[str, Iterable[Question]],
        place: str,
    ) -> None:
        """Check that folders can be searched, and that questions have the documents to be read.

        Folders are looked at where a debate is made ready, not where its settings are checked: a
        server checks what a client sends before it says what a client may set, and no path of a
        client is to be looked at.

        Raises:
            InputError: a folder cannot be searched, see ``check_folder``; or a question has no
                documents, or more than are shown.
        """
        for name, folder in _list_folders(own, whole):
            with place_errors(f"{place}: {name} = {folder!r}"):
                check_folder(folder, own.search_by)
        if OWN_DOCUMENTS not in {own.evidence, *(entry.get("evidence") for entry in whole.cast)}:
            return
        for question in chain.from_iterable(questions.values()):
            many = len(question.documents or ())
            if not many or many > own.passages:
                raise InputError(
                    f"{place}: evidence = {OWN_DOCUMENTS!r}: question {question.id!r} has "
                    + (f"{many} documents; set passages = {many}" if many else "no documents")
                    + f"; a folder of this name is './{OWN_DOCUMENTS}'" * (not many)
                )

    def content(self, own: DocumentSettings, whole: DebateSettings) -> list[str]:
        """Return a hash of the documents in each folder: other documents are other evidence."""
        return [hash_folder(folder) for _, folder in _list_folders(own, whole)]

    def prompts(self, own: DocumentSettings, whole: DebateSettings, pack: Pack) -> Iterator[str]:
        """Yield the digest of the words in which passages are shown, where any are."""
        if any(_list_sources(own, whole)):
            yield pack.evidence_digest

    def resolve(self, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """Return the folders of settings, relative to that of their file."""
        made: dict[str, Any] = {}
        if isinstance(named := given.get("evidence"), str) and named not in {"", OWN_DOCUMENTS}:
            made["evidence"] = resolve_sources(named, folder)
        if isinstance(sources := given.get("sources"), list):
            made["sources"] = [
                str(folder / each) if isinstance(each, str) and not is_tool(each, given) else each
                for each in sources
            ]
        return made

    async def open(
        self, own: DocumentSettings, question: Question, environment: Environment
    ) -> ShownDocuments:
        """Return the passages for the agents; they are looked up when the debate begins."""
        return ShownDocuments(environment.settings, own)

    async def begin(self, debate: Any, state: ShownDocuments) -> None:  # noqa: ANN401 -- a Debate
        """Find the passages that agents read before the question, and record them."""
        if state.found is None:
            node = debate.context.node.rpartition("/")[2]
            state.found = await _find_evidence(state.settings, debate.record, debate.bare, node)

    def inherit(self, state: ShownDocuments | None, inner: Any) -> ShownDocuments | None:  # noqa: ANN401 -- see Feature
        """Return the same passages, but none for another question, which may have its own."""
        if state is None:
            return None
        settings, found = inner.settings, None if inner.aside else state.found
        looks_up = settings.protocol is not None and settings.protocol.looks_up
        if not inner.in_place and (inner.apart or looks_up) and not inner.aside:
            return None
        own = settings.read_own(self)
        return ShownDocuments(state.settings, own, found)

    def pose(
        self, state: ShownDocuments, agent: Agent | None, question: Question, pack: Pack
    ) -> Question:
        """Return the question with passages of the agent's documents before it."""
        own = state.own
        if agent is not None and "evidence" in agent.config.own:
            own = msgspec.structs.replace(own, evidence=agent.config.own["evidence"])
        passages = (state.found or {}).get(own.source, ()) if own.source else ()
        return pose_with_passages(question, passages, pack)


async def _find_evidence(
    settings: DebateSettings,
    record: Any,  # noqa: ANN401 -- a Listener
    question: Question,
    node: str,
) -> FoundEvidence:
    """Find the passages that agents read before a question, by the question's text.

    They are numbered through over all sources, and each search is recorded. Nothing is looked up
    for a protocol that does so itself, and where no documents are named.

    Args:
        settings: of the debate.
        record: a function that is called with each search.
        question: what is debated.
        node: where the question is debated; empty for the debate's own.
    """
    found: dict[EvidenceSource, tuple[Passage, ...]] = {}
    numbers: dict[tuple[str, str, str], int] = {}
    every = ((each, whole) for _, whole in settings.walk() for each in whole.features)
    sources = list(
        dict.fromkeys(
            source
            for each, whole in every
            if each.feature is FEATURE
            for source in _list_sources(each.own, whole)
        )
    )
    for source in sources:
        passages = await find_passages(question, source, [question.text])
        places = [(source.folder, each.source, each.text) for each in passages]
        found[source] = tuple(
            Passage(numbers.setdefault(place, len(numbers) + 1), *place[1:]) for place in places
        )
        about = await describe_reading(source.folder, found[source])
        record(
            Searched(
                query=question.text,
                node=node,
                folder=Path(source.folder).name if len(sources) > 1 else UNSET,
                **about,
            )
        )
    return found


def _list_sources(own: DocumentSettings, whole: DebateSettings) -> Iterator[EvidenceSource]:
    """Yield the sources of the agents of a debate, in their order; none of one that looks up."""
    if whole.protocol is not None and whole.protocol.looks_up:
        return
    for folder in (own.evidence, *(entry.get("evidence", own.evidence) for entry in whole.cast)):
        if folder:
            yield EvidenceSource(folder, own.passages, own.search_by)


def _list_folders(own: DocumentSettings, whole: DebateSettings) -> list[tuple[str, str]]:
    """Return the folders that settings name, each with the name of its setting."""
    every = [
        ("evidence", own.evidence),
        *(
            (f"agents[{number}]: evidence", entry.get("evidence", ""))
            for number, entry in enumerate(whole.cast, 1)
        ),
        *(("sources", each) for each in whole.flat.get("sources", ())),
    ]
    return [
        (name, folder)
        for name, folder in every
        if folder and folder != OWN_DOCUMENTS
        if name != "sources" or not is_tool(folder, whole.flat)
    ]


FEATURE = Documents()
