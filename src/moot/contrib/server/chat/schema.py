"""The OpenAPI description of the endpoint.

``openapi.json`` has the paths and the errors; the types of the requests and answers come from the
code.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from moot.contrib.server.chat import chat_json, responses_json
from moot.contrib.server.chat.request import IGNORED, NOTHING

TYPES = (
    chat_json.CompletionRequest,
    chat_json.Completion,
    chat_json.Chunk,
    responses_json.ResponsesRequest,
    responses_json.ResponseBody,
    chat_json.ModelList,
    chat_json.ErrorBody,
)
"""The types of the bodies; those of their fields follow from them."""

REQUESTS: tuple[tuple[type[msgspec.Struct], frozenset[str], dict[str, tuple[Any, ...]]], ...] = (
    (chat_json.CompletionRequest, IGNORED, NOTHING),
    (responses_json.ResponsesRequest, responses_json.IGNORED, responses_json.NOTHING),
)
"""The types of requests, each with its parameters without effect, and those that are refused."""


@cache
def describe_endpoint() -> bytes:
    """Return the content of ``/openapi.json``."""
    document = msgspec.json.decode(files(__package__).joinpath("openapi.json").read_bytes())
    template = "#/components/schemas/{name}"
    _, schemas = msgspec.json.schema_components(TYPES, ref_template=template)
    for each in schemas.values():
        each["description"] = each.get("description", "").partition("\n")[0]
    for kind, ignored, refused in REQUESTS:
        request = schemas[kind.__name__]
        request["additionalProperties"] = False
        more: dict[str, Any] = {name: {"description": "without effect"} for name in sorted(ignored)}
        more |= {
            name: {"description": "cannot be honoured", "enum": [*nothing, None]}
            for name, nothing in refused.items()
        }
        request["properties"] |= more
    paths = document["paths"]
    paths["/v1/responses"] = _describe_responses(paths["/v1/chat/completions"])
    components = document["components"]
    components["schemas"] = schemas | components["schemas"]
    return msgspec.json.encode(document, order="deterministic")


def _describe_responses(completions: dict[str, Any]) -> dict[str, Any]:
    """Return the description of ``/v1/responses``, which differs in its types alone."""
    text = msgspec.json.encode(completions).decode()
    for theirs, own in (
        ('/CompletionRequest"', '/ResponsesRequest"'),
        ('/Completion"', '/ResponseBody"'),
        ('"complete"', '"respond"'),
    ):
        text = text.replace(theirs, own)
    described: dict[str, Any] = msgspec.json.decode(text)
    return described
