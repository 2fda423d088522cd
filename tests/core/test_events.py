"""A transcript: one closed union of events, whole after a trip through JSON."""

import msgspec
import pytest

from moot.core.events import Event


def test_an_event_of_another_kind_is_no_event():
    with pytest.raises(msgspec.ValidationError, match="Invalid value 'sung'"):
        msgspec.json.decode(b'{"event": "sung"}', type=Event)
