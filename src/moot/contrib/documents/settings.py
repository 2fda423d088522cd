"""Settings of protocols that read documents, with their types, ranges and help texts."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.extend.protocols import OMITTED

DOCUMENTS = (
    "documents: a folder of .txt, .md, .html, .pdf, .docx; or 'question' for the question's own"
)
Documents = Annotated[str, Meta(description=f"{DOCUMENTS}; or empty")]
Passages = Annotated[
    int,
    Meta(
        ge=1,
        le=100,
        title="The most passages shown of a document",
        description="the most passages shown of it",
    ),
]
OWN_DOCUMENTS = "question"
"""The value of the setting ``evidence`` that means the documents of the question itself."""
SearchMethod = Literal["words", "embeddings", "both"]
SEARCH_BY: SearchMethod = "words"
SearchBy = Annotated[
    SearchMethod,
    Meta(
        title="How documents are searched",
        description="whether documents are searched by words (BM25), embeddings, or both fused",
        extra=OMITTED,
    ),
]


def is_tool(source: str, settings: Mapping[str, Any]) -> bool:
    """Return whether a source is a tool ``NAME.TOOL``, or the server NAME, and no folder.

    The settings may be as a file has them, before anything of them is checked.
    """
    tables, server = settings.get("tools"), source.partition(".")[0]
    listed = tables if isinstance(tables, list | tuple) else ()
    return any(isinstance(each, Mapping) and each.get("name") == server for each in listed)
