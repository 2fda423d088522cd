"""What tests of models behind HTTP have in common: a key, and calls."""

from moot.core.calls import Call, Draw, Message, Sampling

KEY = "sk-never-to-be-seen-0123456789"


def a_call(text: str = "What is 2+2?", draw: Draw | None = None, **sampling) -> Call:
    messages = (Message("system", "Be brief."), Message("user", text))
    return Call(model="m", messages=messages, sampling=Sampling(**sampling), draw=draw or Draw())


def only_key(monkeypatch) -> None:
    """An environment with ``KEY`` for addresses of one's own, and no proxy."""
    for scheme in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme.upper()}_PROXY", raising=False)
    monkeypatch.setenv("MOOT_API_KEY", KEY)
