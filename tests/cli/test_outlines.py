"""The list of protocols: read from source, as the protocols say themselves."""

import subprocess
import sys

from moot.cli.outlines import Outline, list_outlines
from moot.debate.protocol import registry
from moot.protocols import DEFAULT, GROUPS
from moot.reports.portrait import describe_protocol
from support.commands import environment

LISTED = """
import sys
from moot.cli.main import moot
moot(["protocols"], standalone_mode=False)
print(sorted(each for each in sys.modules if each.startswith(("moot.protocols.", "moot.debate"))))
"""


def test_a_list_says_of_each_protocol_what_it_says_itself():
    described = map(describe_protocol, registry)
    own = [Outline(each.name, each.summary, each.needs) for each in described]
    assert list_outlines() == (own, {})


def test_a_list_imports_no_protocol(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LISTED],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    *rows, imported = done.stdout.splitlines()
    assert len(rows) >= 55
    assert imported == "[]"


def test_every_protocol_of_moot_is_in_one_group_and_the_usual_one_is_first():
    grouped = " ".join(GROUPS.values()).split()
    ours = [each.name for each in list_outlines()[0]]
    assert sorted(grouped) == ours
    assert grouped[0] == DEFAULT
