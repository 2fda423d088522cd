"""The core of moot asks for no copyleft licence, and every licence is stated."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "requirements" / "licences.py"


@pytest.fixture(scope="module")
def licences():
    spec = spec_from_file_location("licences", SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_core_has_no_copyleft_and_states_every_licence(licences):
    found, missing = licences.find_installed(licences.CORE)
    stated = {name: licences.read_licence(package) for name, package in found.items()}
    assert {"aiohttp", "msgspec", "rich", "idna"} <= stated.keys()
    assert missing == set()
    assert [name for name, licence in stated.items() if not licence] == []
    assert [name for name, licence in stated.items() if licences.is_copyleft(licence)] == []


def test_only_the_rules_of_chess_are_under_the_gpl(licences):
    under = {
        (extra, name)
        for extra in licences.extras()
        for name, package in licences.find_installed(extra)[0].items()
        if "GPL" in (licence := licences.read_licence(package)) and licences.is_copyleft(licence)
    }
    assert under == {("chess", "chess")}


def test_a_choice_of_licences_is_copyleft_only_where_all_of_them_are(licences):
    for licence, copyleft in {
        "GNU General Public License v3 or later (GPLv3+)": True,
        "LGPL-2.1-only": True,
        "MPL-2.0 AND MIT": True,
        "GPL-2.0-only OR BSD-3-Clause": False,
        "Apache-2.0": False,
        "Python Software Foundation License": False,
    }.items():
        assert licences.is_copyleft(licence) is copyleft, licence
