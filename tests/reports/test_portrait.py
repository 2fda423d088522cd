"""A protocol in full, in words, as a page and as data."""

import pytest

from moot.debate.protocol import registry
from moot.reports.portrait import as_text, describe_protocol, format_setting
from moot.studies.dry_run import rehearse_debate, shrink_settings


async def parts(name, **given):
    found = registry.get(name)
    settings = shrink_settings(found, given)
    return describe_protocol(found), await rehearse_debate(found, found.check(settings)), settings


@pytest.mark.parametrize("name", [each.name for each in registry if each.is_installed])
async def test_every_protocol_fits_a_terminal_and_tells_every_setting(name):
    seen, held, given = await parts(name)
    text = as_text(seen, held, given)
    assert max(map(len, text.splitlines())) < 80
    for setting in seen.settings:
        assert f"\n  {setting.name}{'  ' if setting.default == '' else ' = '}" in text
    assert all(setting.help for setting in seen.settings)
    assert "``" not in text
    assert "\nverdict by " in text


async def test_where_a_protocol_differs_from_its_paper_is_a_section_of_its_own():
    seen, held, given = await parts("mixture-of-agents")
    first = "System message: in the code the answers stand in a system message and the question in "
    assert seen.differs[0].startswith(f"{first}the user's. Here both are in one message.")
    assert not set(seen.differs) & set(seen.about)
    told = as_text(seen, held, given)
    assert f"where it differs from paper and code\n- {first[:60]}" in told


def test_values_stand_as_they_are_set():
    values = (None, True, 3, 0.5, "cot", (), ("a",))
    assert [*map(format_setting, values)] == ["none", "true", "3", "0.5", "cot", "[]", '["a"]']
