"""``moot serve``, as far as it comes without serving; ``tests/server/test_serving.py`` goes on."""

import pytest
from click.testing import CliRunner

from moot.cli.main import moot


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "--token-env"),
        (["--host", "0.0.0.0", "--token-env", "NOT_SET_HERE"], "NOT_SET_HERE holds no token"),
        (["none.toml"], "none.toml: No such file"),
        (["--model", "*"], "--model"),
    ],
)
def test_what_is_wrong_is_said(arguments, told):
    result = CliRunner().invoke(moot, ["serve", *arguments])
    assert (result.exit_code, told in result.stderr) == (2, True)
    assert "Traceback" not in result.stderr
