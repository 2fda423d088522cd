"""Texts as they can be sent and stored: Unicode, whatever they were made of."""


def clean(text: str) -> str:
    """The text with every half of a surrogate pair joined to its other half, or replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
