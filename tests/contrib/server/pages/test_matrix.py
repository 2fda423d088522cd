"""The matrix of questions and methods: in JSON, without a script, and over several runs."""

import html
import re
from fractions import Fraction

import msgspec
import pytest

from moot.contrib.server.pages.matrix import shorten_names
from moot.core.stored import Arm, StudyRow
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.studies.lab import open_lab
from support.stored_runs import debates, fill, mixed, renamed, reworded, run, study

FILTERS = ("all", "disagree", "lost", "won")


def judged(transcript):
    """The letter of a debate, from its transcript alone: answers here are whole numbers."""
    verdict, right = transcript.verdict, transcript.question.answer
    if verdict is None:
        return "f"
    if verdict.answer is None:
        return "u"
    try:
        return "r" if Fraction(verdict.answer) == Fraction(right) else "w"
    except ValueError:
        return "w"


async def recounted(store, key):
    """The letters of each question and arm by replicate, from every transcript of a run."""
    found, texts = {}, {}
    async with open_lab(store, readonly=True) as lab:
        for row in lab.store.debates(lab.store.find_run(key).id):
            place = row.dataset, row.question
            cells = found.setdefault(place, {}).setdefault(row.arm, {})
            cells[row.replicate] = judged(row.transcript)
            texts[place] = row.transcript.question.text
    return found, texts


def share(letters):
    return Fraction(sum(each == "r" for each in letters.values()), len(letters))


@pytest.fixture
def rows_of(client):
    """Read rows of a matrix."""

    async def read(url, *, status=200):
        async with client.get(url) as response:
            assert response.status == status, await response.text()
            assert response.content_type == "application/json"
            return await response.json()

    return read


async def test_cells_and_filters_are_those_of_the_transcripts(serving, rows_of, read, tmp_path):
    arms = [
        {"protocol": "single"},
        {"protocol": "self-consistency", "samples": 6},
        {"name": "minds", "protocol": "society-of-minds", "agents": 3, "rounds": 2},
        {"name": "two", "protocol": "society-of-minds", "agents": 2, "rounds": 2},
    ]
    outcome = await run(tmp_path / "store", n=40, arms=arms, replicates=2)
    found, texts = await recounted(tmp_path / "store", outcome.run)
    served = await serving()
    base = f"{served.url}/runs/{outcome.run}"
    await read(f"{base}/matrix")
    whole = await rows_of(f"{base}/matrix.json")
    assert whole["format"] == "moot-matrix/1"
    names = [each["name"] for each in whole["methods"]]
    assert names == ["single", "self-consistency", "minds", "two"]
    assert [each.get("against") for each in whole["methods"]] == [None, None, 1, 1]
    page = " ".join((await read(base)).split())
    named = re.findall(r"<span><b>([^<]+)</b> ([^<]+)</span>", page.partition("small key")[2])
    assert named == [("SC", "self-consistency")]  # the others stand whole at the head
    assert len(whole["rows"]) == whole["total"] == len(found) == 40
    for row in whole["rows"]:
        place = row["dataset"], row["question"]
        assert row["text"] == texts[place]
        for name, letters in zip(names, row["cells"], strict=True):
            assert dict(enumerate(letters)) == found[place][name]
    assert {letter for row in whole["rows"] for cell in row["cells"] for letter in cell} >= {*"rwu"}

    def passes(place, show, debates=("minds", "two")):
        shares = {name: share(letters) for name, letters in found[place].items()}
        vote = shares["self-consistency"]
        return {
            "all": True,
            "disagree": len({*shares.values()}) > 1,
            "lost": any(shares[name] < vote for name in debates),
            "won": any(shares[name] > vote for name in debates),
        }[show]

    for method in ("", "minds"):
        chosen = (method,) if method else ("minds", "two")
        for show in FILTERS:
            some = await rows_of(f"{base}/matrix.json?show={show}&method={method}")
            expected = {place for place in found if passes(place, show, chosen)}
            assert {(row["dataset"], row["question"]) for row in some["rows"]} == expected
            assert some["total"] == some["counts"][show] == len(expected)
            assert 0 < len(expected) < 40 or show == "all"


async def test_the_page_without_a_script_has_every_cell_as_a_link(serving, read, tmp_path):
    outcome = await mixed(tmp_path / "store", n=60)
    found, _ = await recounted(tmp_path / "store", outcome.run)
    served = await serving()
    url, seen = f"{served.url}/runs/{outcome.run}/matrix", {}
    for _ in range(3):
        text = await read(url)
        body = text.partition('id="matrix"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
        for kind, address in re.findall(r'<a class="(.)" href="([^"]+)"', body):
            query = dict(re.findall(r"(\w+)=([^&]*)", html.unescape(address)))
            seen[query["dataset"], query["question"], query["arm"]] = kind
        if not (more := re.search(r'rel="next" href="([^"]+)"', text)):
            break
        url = served.url + html.unescape(more[1])
    expected = {
        (*place, arm): letters[0] for place, arms in found.items() for arm, letters in arms.items()
    }
    assert seen == expected
    assert {"f", "r", "w"} <= {*seen.values()}
    page = await read(f"{served.url}/runs/{outcome.run}?show=disagree&q=nothing+like+it")
    assert "No question with <q>nothing like it</q>" in page


async def test_questions_are_searched(serving, rows_of, read, tmp_path):
    outcome = await run(tmp_path / "store", n=30)
    _, texts = await recounted(tmp_path / "store", outcome.run)
    served = await serving()
    base = f"{served.url}/runs/{outcome.run}/matrix"
    await read(base)
    some = next(iter(texts.values())).split()[-1].upper()
    for words in (some, "  IS  the\u00a0", "-4-0-3", "*1"):
        rows = await rows_of(f"{base}.json?q={words.replace('+', '%2B')}")
        wanted = " ".join(words.split()).lower()
        expected = {
            place for place in texts if wanted in texts[place].lower() or wanted in place[1].lower()
        }
        assert {(row["dataset"], row["question"]) for row in rows["rows"]} == expected
        assert expected
        assert rows["searched"] == rows["of"] == 30
    assert (await rows_of(f"{base}.json?q=nothing+like+it"))["rows"] == []


async def test_what_was_not_run_is_empty(serving, rows_of, read, tmp_path):
    held = await debates(tmp_path / "few", n=10)
    arms = tuple(
        Arm(name=name, protocol=each[0].opened.protocol, settings=dict(each[0].opened.settings))
        for name, each in held.items()
    )
    about = StudyRow(name="stopped", arms=arms, baseline="single", simulated=tuple(held))
    async with Store.open(tmp_path / "store") as store:
        row = store.begin_run("stopped-1", "stopped", msgspec.json.encode(about))
        for arm, each in held.items():
            for number, transcript in enumerate(each):
                if arm == "single" or number < 4:  # the debate was settled after four questions
                    again, values = renamed(transcript, f"q{number}"), measure(transcript)
                    replicate = 2 if number == 1 else 0
                    await store.save_debate(
                        row.id, arm, "sums", f"q{number}", replicate, again, values
                    )
        store.set_status(row.id, "done", wait=False)
        await store.flush()
    served = await serving()
    text = await read(f"{served.url}/runs/stopped-1")
    assert text.count("minds: not run") == 2 * 6  # for the eye and for the ear
    whole = await rows_of(f"{served.url}/runs/stopped-1/matrix.json")
    rows, names = whole["rows"], [each["name"] for each in whole["methods"]]
    at = names.index("minds")
    assert [bool(row["cells"][at]) for row in rows] == [True] * 4 + [False] * 6
    assert rows[1]["cells"][names.index("single")] == f"..{judged(held['single'][1])}"
    assert "replicate=2" in text


async def test_several_runs_stand_side_by_side(serving, rows_of, read, tmp_path):
    held = await debates(tmp_path / "few", n=20)
    other = [reworded(each, "another question") for each in held["single"]]
    await fill(tmp_path / "store", held, key="one-1", n=20)
    await fill(tmp_path / "store", {"single": held["single"], "x": other}, key="two-1", n=12)
    served = await serving()
    text = await read(f"{served.url}/compare?run=one-1&run=two-1")
    assert "2 runs side by side" in text
    assert "All of these runs have 12 questions." in text
    base = f"{served.url}/runs/one-1/matrix.json?with=two-1"
    both = await rows_of(base)
    names = [each["name"] for each in both["methods"]]
    assert names == ["minds", "single · one-1", "single · two-1", "x"]
    alone = await rows_of(f"{served.url}/runs/two-1/matrix.json")
    for row, own in zip(both["rows"], alone["rows"], strict=False):
        assert row["cells"][2:] == own["cells"]
    assert [each["cells"][2:] for each in both["rows"][12:]] == [["", ""]] * 8
    table = text.partition("<table")[2].partition("</table>")[0]
    for key in ("one-1", "two-1"):
        letters = await recounted(tmp_path / "store", key)
        for arm in {"single", *(["minds"] if key == "one-1" else ["x"])}:
            right = sum(cells[arm][0] == "r" for cells in letters[0].values())
            assert f"{100 * right / len(letters[0]):.1f}" in table
    await fill(tmp_path / "store", {"y": other}, key="three-1", n=12)
    unlike = await rows_of(f"{served.url}/runs/one-1/matrix.json?with=three-1")
    assert [bool(row.get("unlike")) for row in unlike["rows"]] == [True] * 12 + [False] * 8


async def test_an_address_that_means_nothing_is_harmless(serving, rows_of, read, tmp_path):
    outcome = await run(tmp_path / "store", n=3)
    served = await serving()
    base = f"{served.url}/runs/{outcome.run}/matrix"
    await read(f"{base}?show=x&method=%00&dataset=none&start=99999999999&methods=none")
    assert len((await rows_of(f"{base}.json?show=x&most=0&methods=none"))["rows"]) == 3
    assert len((await rows_of(f"{base}.json?methods=minds"))["methods"]) == 1
    assert (await rows_of(f"{base}.json?start=99999999"))["rows"] == []
    missing = await rows_of(f"{served.url}/runs/none/matrix.json", status=404)
    assert "There is no such run" in missing["error"]


async def test_runs_are_ticked_on_the_list(serving, read, tmp_path):
    served = await serving()
    assert "Compare</h1>" not in await read(f"{served.url}/compare")
    assert 'type="checkbox"' not in await read(f"{served.url}/runs")
    keys = [(await run(tmp_path / "store", **study(n))).run for n in (3, 4)]
    fresh = await serving()
    text = await read(f"{fresh.url}/runs")
    for key in keys:
        assert f'name="run" value="{key}"' in text
    missing = await read(f"{fresh.url}/runs/trail", status=404)
    assert all(f'href="/runs/{key}"' in missing for key in keys)
    assert "Valid:" not in missing


@pytest.mark.parametrize(
    ("names", "shorts"),
    [
        (["single", "self-consistency, 6 samples"], ["single", "SC6S"]),
        (["society-of-minds a", "society-of-minds a"], ["SOMA", "SOMA·2"]),
        (["chateval-rounds", "council", "…", ""], ["CR", "counci", "…", "–"]),
    ],
)
def test_heads_of_columns_have_short_names_each_once(names, shorts):
    assert shorten_names(names) == shorts
