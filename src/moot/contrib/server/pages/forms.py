"""The forms that browsers post. ``Guard`` refuses those of other sites."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from moot import InputError

MOST = 200
"""The most fields of a form."""


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a posted form; of a repeated field, the last.

    Raises ``InputError`` for a body that is not a form, or has too many fields.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise InputError(f"a form is sent as application/x-www-form-urlencoded, not as {kind!r}")
    body = await request.body()
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST, errors="replace")
    except ValueError:
        raise InputError(f"the body is not a form, or has more than {MOST} fields") from None
    return dict(pairs)
