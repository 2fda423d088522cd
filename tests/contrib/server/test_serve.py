"""``moot serve``, as far as it comes without serving; ``tests/server/test_serving.py`` goes on."""

import pytest
from click.testing import CliRunner

from moot.cli.main import moot


def said(*arguments):
    result = CliRunner().invoke(moot, ["serve", *arguments])
    assert result.exit_code == 2
    return result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "--token-env"),
        (["--host", "0.0.0.0", "--token-env", "NOT_SET_HERE"], "NOT_SET_HERE holds no token"),
        (["none.toml"], "none.toml: No such file"),
        (["--model", "*"], "--model"),
        (["--port", "65536"], "0<=x<=65535"),
        (["--host", "no.such.host.invalid.", "--token-env", "A_TOKEN"], "A_TOKEN"),
    ],
)
def test_what_is_wrong_is_said(arguments, told):
    text = said(*arguments)
    assert told in text
    assert "Traceback" not in text
