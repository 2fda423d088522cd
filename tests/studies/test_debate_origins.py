"""Digests of code: what a debate runs counts, imported or not."""

import os
import sys

from moot.core.entry_points import EntryPoint
from moot.studies import debate_origins
from moot.studies.debate_origins import digest_code


def test_a_plug_in_counts_without_an_import(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "made_for_digest.py"

    def digest(text):
        debate_origins._digest_module.cache_clear()
        file.write_text(text)
        os.utime(file, (1, 1))
        return digest_code((), (), [EntryPoint("reads", "made_for_digest:reads")])

    one, other = digest("raise ValueError"), digest("raise TypeError")
    assert None not in (one, other)
    assert one != other
    assert "made_for_digest" not in sys.modules
    gone = [EntryPoint("gone", "made_for_nothing:gone")]
    assert digest_code((), (), gone) == digest_code((), ()) not in (one, other)
