"""Lines of a server of tools: whole, in one copy, and never longer than the limit."""

import json

import pytest

from moot.contrib.tools import whole_lines


@pytest.mark.parametrize("size", [63, 64, 65, 1_000])
def test_a_line_that_is_too_long_is_an_error_of_its_request(monkeypatch, size):
    monkeypatch.setattr(whole_lines, "LARGEST", 1 << 20)
    head = b'{"jsonrpc":"2.0","id":7,"result":"'
    piece = b"x" * (1 << 14)
    decoder = whole_lines.WholeLines()
    assert decoder.decode(b"first\n" + head) == "first\n"
    kept = [decoder.decode(piece) for _ in range(size)]
    assert set(kept) == {""}
    ended = decoder.decode(b'"}\nnext\n')
    line, after = ended.splitlines()
    assert after == "next"
    if len(head) + size * len(piece) + 3 <= 1 << 20:
        assert line.startswith(head.decode())
    else:
        assert json.loads(line)["id"] == 7
        assert "more than 1 MB" in json.loads(line)["error"]["message"]
