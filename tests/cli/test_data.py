"""``moot data``: of a hub, whose files other processes read, and of all datasets of a study."""

import asyncio
import json
from hashlib import sha256

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.core.questions import Question
from moot.datasets.data_files import data_folder
from moot.datasets.dataset import File, dataset, registry
from support.commands import FOUR
from support.hub_server import COMMIT, TOKEN, hub_of

NAMED = ("--set", "repo=someone/sums", "--set", "file=sums.csv")
STUDY = """
name = "sums"
arms = [{ protocol = "single" }]
[[datasets]]
name = "hub"
repo = "someone/sums"
file = "sums.csv"
columns = { question = "sum", answer = "is" }
"""


async def test_what_is_fetched_is_read_by_a_study(monkeypatch, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)

    async def moot(*words, **variables):
        done = await asyncio.to_thread(CliRunner().invoke, cli, words, env=variables)
        assert TOKEN not in done.output
        return done

    store = ("--model", FOUR, "--store", str(tmp_path / "store"), "--json")
    study = ("run", str(tmp_path / "study.toml"), *store)
    async with hub_of(monkeypatch) as server:
        server.bodies["datasets/someone/sums/sums.csv"] = b"sum,is\n2+2,4\n2+3,5\n"
        done = await moot(*study)
        assert done.exit_code == 2
        assert "--set repo=someone/sums --set file=sums.csv --set rev" in done.stderr
        address = {"HF_ENDPOINT": server.address, "HF_TOKEN": TOKEN}
        done = await moot("data", "fetch", "hub", *NAMED, **address)
        assert done.exit_code == 0, done.output
        assert done.stdout.strip().endswith(f"{COMMIT}/sums.csv")
    done = await moot(*study)  # the hub is gone
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"]["arms"][0]["accuracy"]["mean"] == 0.5


BODY = b"one\ntwo\n"
MANY = """
name = "many"
arms = [{ protocol = "single" }]
datasets = [{ name = "words" }, { name = "arithmetic", label = "a" }, { name = "propositions" },
    { name = "words", label = "again" }]
"""


@pytest.fixture
async def words():
    """A dataset whose file a server on loopback gives; counts the requests."""
    asked = []

    async def give(request):
        asked.append(request.path)
        return web.Response(body=BODY)

    app = web.Application()
    app.router.add_get("/words.txt", give)
    server = TestServer(app)
    await server.start_server()
    digest = sha256(BODY).hexdigest()
    file = File(name="words.txt", url=str(server.make_url("/words.txt")), sha256=digest)

    @dataset(kinds=("text",), rows=2, files=(file,), paper="a paper")
    def words(path):
        """Words."""
        for line in path.read_text().splitlines():
            yield Question(id=line, kind="text", text=line)

    yield asked
    registry._found.pop("words")
    await server.close()


async def test_all_datasets_of_a_study_are_fetched_and_what_cannot_be_is_named(words, tmp_path):
    study = tmp_path / "many.toml"
    study.write_text(MANY)

    async def moot(*given):
        return await asyncio.to_thread(CliRunner().invoke, cli, ["data", *given])

    done = await moot("fetch", "--study", str(study))
    assert words == ["/words.txt"]
    assert (data_folder() / "words" / "words.txt").read_bytes() == BODY
    assert done.stdout.splitlines()[1:] == ["arithmetic: needs no download"]
    assert done.exit_code == 2
    told = " ".join(done.stderr.split())
    assert "1 of 3 datasets are not here: dataset 'propositions': propositions.jsonl has no" in told
    assert "of arXiv:2406.19643; take a local copy with 'moot data add propositions PATH'" in told
    listed = (await moot("list", "--study", str(study))).stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [
        ["arithmetic", "built"],
        ["propositions", "missing"],
        ["words", "ready"],
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "name a dataset, or a study with --study"),
        (("gsm8k", "--study", "table3"), "name a dataset, or a study with --study"),
        (("--study", "table3", "--set", "a=b"), "--set is for one dataset"),
        (("--study", "table33"), "moot: --study: unknown study 'table33'; did you mean 'table3'"),
    ],
)
def test_a_dataset_or_a_study_is_named(given, said):
    done = CliRunner().invoke(cli, ["data", "fetch", *given])
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


def test_a_study_whose_libraries_are_not_here_can_be_fetched():
    done = CliRunner().invoke(cli, ["data", "list", "--study", "prejudice-society-level"])
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["chess-state-tracking", "gsm8k", "piqa", "strategyqa"]
