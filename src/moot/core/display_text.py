"""Text of models and questions made safe to look at, and figures made short."""

import re
from collections.abc import Sequence

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, so also every escape sequence
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # text direction
    "\u200b\u2028\u2029\u2060-\u2064\ufeff\U000e0000-\U000e007f"  # unseen
    "\ud800-\udfff"  # half characters, which no terminal or file takes
    "]"
)

_NOT_ASCII = re.compile(r"[^\x00-\x7e]")


def make_visible(text: str) -> str:
    """Make what a text would do to a terminal or a page visible instead.

    New lines and tabs stay. Control characters become their pictures (``␛`` for escape), what turns
    the direction of text or cannot be seen becomes its number, such as ``‹U+202E›``.
    """
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"‹U+{code:04X}›"


def escape_json(text: str, encoding: str = "utf-8") -> str:
    """Encoded JSON with escapes in place of what ``plain`` makes visible.

    Args:
        text: encoded, without control characters but new lines, as JSON is.
        encoding: of where it goes; if a character is not in it, all that are not ASCII are escaped.
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return _NOT_ASCII.sub(_escape, text)
    return _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def on_one_line(text: str, length: int = 80) -> str:
    """The same on one line, cut to a length."""
    flat = " ".join(make_visible(text).split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def natural_sort_key(name: str) -> tuple[object, ...]:
    """Return a key that sorts q10 behind q9."""
    words = re.split(r"(\d+)", name)  # words and numbers in turn
    return tuple((int(word), "") if n % 2 else (0, word) for n, word in enumerate(words)), name


def format_percent(share: float | None, *, sign: bool = False) -> str:
    """A share in percent with one decimal; with its sign, where it is a difference."""
    if share is None:
        return "–"
    rounded = round(100 * share, 1)
    if rounded == 0:
        return "0.0"  # neither plus nor minus
    return f"{rounded:{'+' if sign else ''}.1f}".replace("-", "−")


def format_interval(low: float | None, high: float | None, *, sign: bool = False) -> str:
    """An interval of shares; what is missing where there is none."""
    if low is None or high is None:
        return "no interval"
    return f"{format_percent(low, sign=sign)} … {format_percent(high, sign=sign)}"


def format_p(p: float | None) -> str:
    """A probability with two significant digits."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.2f}" if p >= 0.1 else f"{p:.3f}"


def format_p_equals(p: float | None) -> str:
    """A probability after the letter p, with its sign of equality."""
    text = format_p(p)
    return text if text.startswith("<") else f"= {text}"


def format_count(number: float | None) -> str:
    """A number of things, with separators; one decimal below a hundred where it is not whole."""
    if number is None:
        return "unknown"
    whole = abs(number - round(number)) < 0.05 or abs(number) >= 100
    return f"{number:,.0f}" if whole else f"{number:,.1f}"


def format_things(number: float | None, thing: str) -> str:
    """A number of things with their name, in the plural unless there is one: "1 reply"."""
    plain = not thing.endswith("y") or thing[-2:-1] in set("aeou")  # days, but queries
    several = f"{thing}s" if plain else f"{thing.removesuffix('y')}ies"
    several = f"{thing}es" if thing.endswith("ch") else several
    return f"{format_count(number)} {thing if number == 1 else several}"


def format_some(names: Sequence[str], most: int) -> str:
    """The first names of a list, with the number of the others: "a, b, c and 4 more"."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {format_count(more)} more" if more > 0 else "")


def format_dollars(cost: float | None) -> str:
    """US dollars: to the cent from a dollar up, to a tenth from a cent up, else three digits."""
    if cost is None:
        return "unknown"
    if cost == 0:
        return "$0"
    if cost >= 0.01:
        return f"${cost:,.2f}" if cost >= 1 else f"${cost:.3f}"
    return f"${cost:.3g}" if cost >= 1e-4 else f"${cost:.2e}"


def format_duration(seconds: float | None) -> str:
    """Seconds, in the unit that reads best."""
    if seconds is None:
        return "unknown"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
