"""The encoding of what others wrote: UTF-8, no byte-order mark, no half of a surrogate pair."""

import codecs
import json
from contextlib import suppress

_OTHER = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def drop_mark(content: bytes) -> bytes:
    """Return a content in UTF-8 without its byte-order mark, which Windows' editors write."""
    return content.removeprefix(codecs.BOM_UTF8)


def describe_other_encoding(content: bytes) -> str:
    """Return a text that names UTF-16 or UTF-32, with advice; empty for another encoding.

    No text begins with a null character; so one is half of a character.
    """
    named = next((name for mark, name in _OTHER if content.startswith(mark)), "")
    if not named and b"\0" in content[:2]:
        named = "UTF-16"
    return f"{named}, not UTF-8: save the file as UTF-8" if named else ""


def describe_not_json(error: Exception, content: bytes) -> str:
    """Return the reason why a content is no JSON: its encoding, a value such as NaN, or the error.

    Args:
        error: of decoding the content.
        content: as it came.
    """
    if other := describe_other_encoding(content):
        return other
    constants: list[str] = []
    with suppress(ValueError, RecursionError):
        json.loads(drop_mark(content), parse_constant=constants.append)
    if constants:
        return f"{constants[0]} is no value of JSON: write null"
    return str(error)


def replace_surrogates(text: str) -> str:
    """Return the text with each half of a surrogate pair joined to its other half, or replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
