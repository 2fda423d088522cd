"""The OpenAPI description of the endpoint, made from the types of its requests and answers."""

from functools import cache
from typing import Any

import msgspec

from moot.server.chat import chat_json
from moot.server.chat.request import HEADERS, IGNORED, NEW, NOTHING, REPLICATE

ERRORS = {
    "400": "something asked for cannot be; `param` names it",
    "401": "no token, or a wrong one",
    "402": "the request's budget does not suffice",
    "403": "the server's owner has not allowed it",
    "404": "no such model",
    "413": "the body is too long",
    "415": "the body is no JSON",
    "429": "the queue is full, or the client's hour is spent; see Retry-After",
    "500": "a mistake in moot",
    "502": "a model refused a call",
    "503": "a model could not be reached, or the server is stopping",
}
SENT = (
    chat_json.Completion,
    chat_json.Chunk,
    chat_json.ModelList,
    chat_json.ModelCard,
    chat_json.ErrorBody,
)


@cache
def describe_endpoint() -> bytes:
    """``/openapi.json``."""
    return msgspec.json.encode(_document(), order="deterministic")


def _document() -> dict[str, Any]:
    types = (chat_json.CompletionRequest, *SENT)
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    named = dict(zip((each.__name__ for each in types), schemas, strict=True))
    for each in components.values():
        each["description"] = each.get("description", "").partition("\n")[0]
    components[chat_json.ContentPart.__name__]["properties"] |= {
        "type": {"const": "text"},
        "text": {"type": "string"},
    }
    components[chat_json.ContentPart.__name__]["required"] = ["type", "text"]
    message = components[chat_json.ChatMessage.__name__]["properties"]
    components[chat_json.ChatMessage.__name__]["required"] = ["role", "content"]
    parts = {
        "type": "array",
        "minItems": 1,
        "items": {"$ref": f"#/components/schemas/{chat_json.ContentPart.__name__}"},
    }
    message["content"] = {"anyOf": [{"type": "string", "minLength": 1}, parts]}
    message["role"] = {"enum": ["system", "developer", "user", "assistant"]}
    for name in ("tool_calls", "function_call"):  # known so that they can be refused in words
        del message[name]
    request = components[chat_json.CompletionRequest.__name__]
    request["additionalProperties"] = False
    request["properties"] |= {name: {"description": "without effect"} for name in sorted(IGNORED)}
    request["properties"] |= {
        name: {"description": "cannot be honoured", "enum": [*nothing, None]}
        for name, nothing in NOTHING.items()
    }
    caps: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "header",
            "required": False,
            "schema": {"type": "integer" if number is int else "number", "minimum": 0},
        }
        for name, number in HEADERS.items()
    ]
    number_or_new = {"anyOf": [{"type": "integer", "minimum": 0}, {"const": NEW}]}
    caps.append({"name": REPLICATE, "in": "header", "required": False, "schema": number_or_new})
    completions = {
        "operationId": "complete",
        "summary": "Debate a question",
        "parameters": caps,
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": named[chat_json.CompletionRequest.__name__]}
            },
        },
        "responses": {
            "200": {
                "description": "the answer, or the stream of the debate and its answer",
                "content": {
                    "application/json": {"schema": named[chat_json.Completion.__name__]},
                    "text/event-stream": {"schema": {}},
                },
            },
            **_errors(named),
        },
    }
    called = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "moot",
            "version": "1",
            "description": "Every protocol is a model: a question becomes a debate.",
        },
        "paths": {
            "/v1/models": {"get": _get("models", "What can be asked", named, chat_json.ModelList)},
            "/v1/models/{name}": {
                "get": {
                    **_get("model", "Whether this can be asked", named, chat_json.ModelCard),
                    "parameters": [called],
                }
            },
            "/v1/chat/completions": {"post": completions},
        },
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _get(operation: str, summary: str, named: dict[str, Any], body: type) -> dict[str, Any]:
    content = {"application/json": {"schema": named[body.__name__]}}
    return {
        "operationId": operation,
        "summary": summary,
        "responses": {"200": {"description": summary, "content": content}, **_errors(named)},
    }


def _errors(named: dict[str, Any]) -> dict[str, Any]:
    body = {"application/json": {"schema": named[chat_json.ErrorBody.__name__]}}
    return {status: {"description": why, "content": body} for status, why in ERRORS.items()}
