"""The OpenAPI description of the endpoint.

``openapi.json`` has the paths and the errors; the types of the requests and answers come from the
code.
"""

from functools import cache
from importlib.resources import files

import msgspec

from moot.server.chat import chat_json
from moot.server.chat.request import IGNORED, NOTHING

TYPES = (
    chat_json.CompletionRequest,
    chat_json.Completion,
    chat_json.Chunk,
    chat_json.ModelList,
    chat_json.ErrorBody,
)
"""The types of the bodies; those of their fields follow from them."""


@cache
def describe_endpoint() -> bytes:
    """Return the content of ``/openapi.json``."""
    document = msgspec.json.decode(files(__package__).joinpath("openapi.json").read_bytes())
    template = "#/components/schemas/{name}"
    _, schemas = msgspec.json.schema_components(TYPES, ref_template=template)
    for each in schemas.values():
        each["description"] = each.get("description", "").partition("\n")[0]
    request = schemas[chat_json.CompletionRequest.__name__]
    request["additionalProperties"] = False
    request["properties"] |= {name: {"description": "without effect"} for name in sorted(IGNORED)}
    request["properties"] |= {
        name: {"description": "cannot be honoured", "enum": [*nothing, None]}
        for name, nothing in NOTHING.items()
    }
    components = document["components"]
    components["schemas"] = schemas | components["schemas"]
    return msgspec.json.encode(document, order="deterministic")
