import re

import pytest

from moot import InputError, UnknownName
from moot.contrib.imports import log_format
from moot.contrib.imports.formats import FORMATS
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import LogFormat, find_format
from moot.contrib.imports.mapping import KEYS, MappingFile
from support.shown import DOCS

PAGE = DOCS / "log-formats.md"


def test_no_format_fits_and_each_says_what_it_misses(write):
    log = Log(write({"what": "is this"}))
    with pytest.raises(InputError) as raised:
        find_format(log)
    lines = str(raised.value).splitlines()
    assert (
        "fits no format; --mapping-draft writes a first mapping for it, --as names a format"
        in lines[0]
    )
    for each in log_format.registry.names():
        assert any(line.startswith(f"  {each}: ") for line in lines)


def test_a_damaged_log_says_its_place(tmp_path):
    (tmp_path / "log.json").write_text('{"q": [[[{"role"')
    with pytest.raises(InputError, match=r"log.json, line 1, column 17"):
        find_format(Log(tmp_path / "log.json"))


def test_several_formats_fit(write, monkeypatch):
    log = Log(write([[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]]))
    also = LogFormat("also", lambda _: "", lambda _: iter(()), "")
    monkeypatch.setitem(log_format.registry._found, "also", also)
    monkeypatch.setattr(log_format.registry, "_sorted", None)
    with pytest.raises(InputError, match="fits several formats; choose with --as: also, messages"):
        find_format(log)
    monkeypatch.undo()
    log_format.registry._sorted = None


def test_a_format_is_named(write):
    log = Log(write({"what": "is this"}))
    assert find_format(log, "mad").name == "mad"
    with pytest.raises(UnknownName, match="llm-agora"):
        find_format(log, "llm-agorra")


def test_each_format_says_what_it_is():
    for each in log_format.registry:
        assert each.about.endswith(".")
        assert each.about[0].isupper() or each.about.startswith(each.name)


def test_the_page_of_formats_names_every_format_and_every_key():
    page = PAGE.read_text(encoding="utf-8")
    for each in log_format.registry.names():
        assert f"`{each}`" in page, each
    for key in KEYS:
        assert f"`{key}`" in page, key
    [example] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert MappingFile(example.encode(), "page").nests == ("agents", "rounds")


def test_the_table_has_what_the_modules_register():
    named = {name for names in FORMATS.values() for name in names.split()}
    named |= {each.name for each in log_format.registry.plugins}
    assert named == {each.name for each in log_format.registry} - set(log_format.registry.broken)
    assert not log_format.registry.broken
