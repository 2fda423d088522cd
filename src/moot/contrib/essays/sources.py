"""Sources: the settings of protocols whose writer quotes from a folder of documents."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.extend.protocols import OMITTED

Evidence = Annotated[
    str,
    Meta(
        description="documents to quote from: a folder of .txt, .md, .html, .pdf, .docx; or empty"
    ),
]
Passages = Annotated[
    int,
    Meta(
        ge=1,
        le=100,
        title="The most passages shown of a document",
        description="the most passages shown of it",
    ),
]
SearchBy = Annotated[
    Literal["words", "embeddings", "both"],
    Meta(
        title="How documents are searched",
        description="whether documents are searched by words (BM25), embeddings, or both fused",
        extra=OMITTED,
    ),
]
