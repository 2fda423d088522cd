"""A conversation as a question: its last message asks, all before it is what one must know."""

from collections.abc import Sequence

from moot.server.chat.errors import Refused, unsupported
from moot.server.chat.wire import Message

_ASKING = ("user",)
_TELLING = ("system", "developer")


def question(messages: Sequence[Message]) -> tuple[str, str | None]:
    """The question and its context. Raises ``Refused`` for what is no text, or no question."""
    texts = [_text(message, f"messages[{at}]") for at, message in enumerate(messages)]
    last = len(messages) - 1
    if messages[last].role not in _ASKING:
        raise Refused(
            f"messages[{last}]: the last message is the question and has to be a user's, not one "
            f"of role {messages[last].role!r}",
            param=f"messages[{last}].role",
            code="invalid_value",
        )
    if not texts[last].strip():
        raise Refused(
            f"messages[{last}].content: it is empty; ask something",
            param=f"messages[{last}].content",
            code="invalid_value",
        )
    earlier = list(zip(messages[:last], texts[:last], strict=True))
    told = [text for message, text in earlier if message.role in _TELLING and text.strip()]
    turns = [
        f"{message.role.capitalize()}: {text.strip()}"
        for message, text in earlier
        if message.role not in _TELLING and text.strip()
    ]
    if turns:
        turns.insert(0, "The conversation so far:")
    return texts[last], "\n\n".join([*(text.strip() for text in told), *turns]) or None


def _text(message: Message, where: str) -> str:
    """What a message says."""
    if message.role in {"tool", "function"} or message.tool_calls or message.function_call:
        raise unsupported(f"{where}", "agents of a debate call no tools; leave such messages out")
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    for at, part in enumerate(message.content):
        if part.type != "text" or part.text is None:
            place = f"{where}.content[{at}]"
            raise unsupported(place, f"a part of type {part.type!r}; agents read text alone")
    return "\n".join(part.text or "" for part in message.content)
