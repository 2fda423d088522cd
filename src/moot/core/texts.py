"""Texts as they can be sent and stored: valid Unicode."""


def replace_surrogates(text: str) -> str:
    """Return the text with each half of a surrogate pair joined to its other half, or replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
