"""``moot studies``: a list, and a study to copy."""

import json
import tomllib

from click.testing import CliRunner

from moot.cli.main import moot
from moot.studies.sources import SHIPPED


def test_every_shipped_study_is_listed_with_what_it_asks():
    out = CliRunner().invoke(moot, ["studies"]).stdout
    told = json.loads(CliRunner().invoke(moot, ["studies", "--json"]).stdout)
    assert [each["name"] for each in told] == sorted(path.stem for path in SHIPPED.glob("*.toml"))
    assert all(each["name"] in out and each["summary"][:20] in out for each in told)


def test_a_study_is_printed_as_it_stands():
    out = CliRunner().invoke(moot, ["studies", "demo"]).stdout
    assert out == (SHIPPED / "demo.toml").read_text()
    assert tomllib.loads(out)["name"] == "demo"


def test_an_unknown_name_is_said_with_the_nearest():
    done = CliRunner().invoke(moot, ["studies", "dem"])
    assert done.exit_code == 2
    assert "unknown study 'dem'; did you mean 'demo'?" in done.stderr
