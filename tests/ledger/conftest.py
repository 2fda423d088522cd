from collections.abc import Callable

import pytest

from moot.core.calls import Call, Draw, Message, identity

Asked = tuple[bytes, Call, bytes]


@pytest.fixture
def asked() -> Callable[..., Asked]:
    """A call with its identity and request."""

    def make(number: int = 0, text: str = "What is 2 + 2?", **draw: int) -> Asked:
        messages = (Message("system", f"You are agent {number}."), Message("user", text))
        call = Call(model="scripted/a", messages=messages, draw=Draw(**draw))
        request = call.request()
        return identity(request, call.draw), call, request

    return make
