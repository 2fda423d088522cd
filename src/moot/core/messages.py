"""A message of a conversation."""

from typing import Any, Literal

import msgspec

Role = Literal["system", "user", "assistant", "tool"]


class FunctionCall(msgspec.Struct, frozen=True):
    """The function that a model wants called; ``arguments`` is JSON as the model wrote it."""

    name: str
    arguments: str = "{}"


class ToolCall(msgspec.Struct, frozen=True):
    """A call of a client's tool, in the chat-completions form."""

    id: str
    function: FunctionCall
    type: Literal["function"] = "function"

    @classmethod
    def of(cls, call_id: str, name: str, arguments: str) -> "ToolCall":
        """Return the call of a function; the arguments are its JSON."""
        return cls(call_id, FunctionCall(name, arguments))


class Message(msgspec.Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """One message of a conversation, in the chat-completions sense.

    Attributes:
        role: whose it is.
        content: its text.
        tool_calls: the tools that the assistant wants called.
        tool_call_id: of a tool's message: which call it answers; empty in all others.
        images: the addresses of images beside the text, ``https:`` or ``data:``.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    images: tuple[str, ...] = ()


class ClientTools(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tools that a client has declared, in the chat-completions form.

    Attributes:
        tools: the functions.
        choice: which of them shall be called; None leaves it to the model.
        parallel: whether several may be called at once; None leaves it to the model.
    """

    tools: tuple[dict[str, Any], ...]
    choice: Any = None
    parallel: bool | None = None
