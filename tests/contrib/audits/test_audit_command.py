"""``moot audit``: every form of what it prints, of logs and of runs, and its errors."""

import re
import sqlite3
from contextlib import closing

import msgspec
import pytest

from contrib.audits.conftest import box, debate, sound
from support import beside
from support.browser import opened, started


@pytest.fixture
def log(write_log):
    """Nine sound debates, and one that one agent has right."""
    return write_log([debate(0, "5", box(5, 7, 7), box(7, 7, 5)), *map(sound, range(1, 10))])


def test_json_has_lists_in_the_order_of_the_rounds(log, moot):
    code, out, _ = moot("audit", str(log), "--json", "--rule", "any:boxed")
    found = msgspec.json.decode(out)
    assert code == 0
    assert found["by_their_rule"] == [1, 1]
    assert found["by_ours"] == [0.9, 0.9]
    assert found["claimed"] == [None, None]
    assert (found["rule"], found["tried"]) == ("any:boxed", 1)
    assert [each["round"] for each in found["differences"]] == [1, 2]
    assert found["sentence"].startswith("By the rule any:boxed it is 100.0 and 100.0 %")
    assert "not shown to differ from the vote of its own first round" in found["sentence"]


def test_the_terminal_has_the_sentence_the_numbers_and_the_causes(log, moot):
    code, out, _ = moot("audit", str(log), "--rule", "any:boxed")
    flat = " ".join(out.split())
    assert code == 0
    assert "By the rule any:boxed it is 100.0 and 100.0 %" in flat
    assert "The two rules disagree on 2 questions, counted by round: any agent 2." in flat
    for title in ("Three numbers", "What is then so", "Who changed whom", "Why the rules differ"):
        assert title in out


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_what_is_disputed_stands_before_what_further_analyses_find(form, log, moot, tmp_path):
    given = ("--format", form, *(("--out", "audit.html") if form == "html" else ()))
    code, out, errors = moot("audit", str(log), "--rule", "any:boxed", *given)
    assert code == 0, errors
    if form == "html":
        page = (tmp_path / "audit.html").read_text()
        out = page[page.index("<h1") :]
    titles = ["Why the rules differ", "Disputed questions", "Who changed whom"]
    titles += ["Rows to recompute"]
    if form == "text":  # the terminal has no room for questions and rows
        titles = titles[::2]
    if form != "html":  # its page has these two first, without their titles
        titles[:0] = ["Three numbers", "What is then so"]
    places = [out.index(f"\n{title}" if form == "text" else title) for title in titles]
    assert places == sorted(places)
    assert out.index("The two rules disagree on") < out.index("Ceiling: ")


def test_a_published_value_is_the_claim(log, moot):
    code, out, _ = moot("audit", str(log), "--json", "--claim", "mad:table 2:Society of Mind:CIAR")
    found = msgspec.json.decode(out)
    assert code == 0
    assert found["claimed"] == [None, 0.56]


def test_a_run_is_audited_as_its_log_is(log, moot):
    _, first, _ = moot("audit", str(log), "--json", "--rule", "any:boxed")
    run = msgspec.json.decode(first)["run"]
    _, again, _ = moot("audit", run, "--json", "--rule", "any:boxed")
    assert again == first


def test_it_says_that_a_stopped_run_is_a_part(log, moot, tmp_path):
    store = ("--store", str(tmp_path / "own"))
    _, out, _ = moot("audit", str(log), "--json", *store)
    found = msgspec.json.decode(out)
    assert found["notes"] == []
    with closing(sqlite3.connect(tmp_path / "own" / "moot.db")) as connection, connection:
        connection.execute("UPDATE runs SET status = 'stopped'")
    _, out, _ = moot("audit", found["run"], "--json", *store)
    assert msgspec.json.decode(out)["notes"] == [
        f"{found['run']} is stopped: the debates that it has are a part."
    ]


def test_markdown_and_csv_have_the_disputed_questions_and_all_rows(log, moot, tmp_path):
    code, out, _ = moot("audit", str(log), "--rule", "any:boxed", "--format", "markdown")
    assert code == 0
    assert re.search(
        r"\| q0 \| 1 \| any agent \| .*boxed.* \| 5 \| 5 \| 5 \| right \| wrong \|", out
    )
    code, _, _ = moot(
        "audit", str(log), "--rule", "any:boxed", "--format", "csv", "--out", "tables"
    )
    assert code == 0
    [rows] = (tmp_path / "tables").glob("*rows-to-recompute.csv")
    assert len(rows.read_text().splitlines()) == 21


def test_the_page_is_one_file_with_a_chart_and_escapes_what_logs_say(moot, write_log, tmp_path):
    nasty = "<script>alert(1)</script>"
    odd = debate(0, "5", [rf"{nasty} \boxed{{{each}}}" for each in (5, 7, 7)], box(7, 7, 5))
    log = write_log([odd, *map(sound, range(1, 6))])
    code, _, errors = moot(
        "audit", str(log), "--rule", "any:boxed", "--format", "html", "--out", "audit.html"
    )
    assert code == 0, errors
    page = (tmp_path / "audit.html").read_text()
    assert nasty not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "moot-chart" in page
    assert "Disputed questions" in page
    assert "Rows to recompute" in page
    assert not re.search(r'(src|href)="https?:', page)


@pytest.fixture
def page(moot, log, tmp_path):
    """An audit as a page."""
    moot("audit", str(log), "--rule", "any:boxed", "--format", "html", "--out", "audit.html")
    return tmp_path / "audit.html"


@pytest.mark.soak
async def test_the_page_fits_and_is_for_everybody(page):
    beside.need(beside.miss_chromium())
    async with started() as browser, opened(browser) as tab:
        await tab.page.goto(page.as_uri())
        await tab.sound()


def test_the_debate_of_a_disputed_question_is_shown_by_the_command_of_the_table(log, moot):
    _, out, _ = moot("audit", str(log), "--json", "--rule", "any:boxed")
    found = msgspec.json.decode(out)
    each = found["differences"][0]
    code, shown, _ = moot("show", found["run"], each["question"], "--arm", each["arm"])
    assert code == 0
    assert r"\boxed{5}" in shown


def test_two_datasets_of_one_log_are_two_settings(moot, write_log):
    def of(name, *debates):
        return [msgspec.structs.replace(each, dataset=name) for each in debates]

    wrong = [debate(n, "5", box(7, 7, 7), box(7, 7, 7)) for n in range(20, 24)]
    log = write_log([*of("one", *map(sound, range(1, 5))), *of("two", *wrong)])
    code, out, errors = moot("audit", str(log), "--json")
    assert code == 0, errors
    found = msgspec.json.decode(out)
    settings = [each["setting"] for each in found["figures"]]
    assert settings == ["debate on one"] * 2 + ["debate on two"] * 2
    assert found["by_ours"] == [1, 1, 0, 0]
    assert {each["dataset"] for each in found["effects"]} == {"one", "two"}


ERRORS = [
    (["nowhere"], "nowhere"),
    (["{log}", "--rule", "any:boxd"], "any:boxed"),
    (["{log}", "--claim", "nowhere.toml"], "--claim nowhere.toml: cannot be read"),
    (["{log}", "--as", "nothing"], "nothing"),
]


@pytest.mark.parametrize(("words", "told"), ERRORS)
def test_a_wrong_command_says_what_is_wrong(words, told, log, moot):
    code, _, errors = moot("audit", *(word.format(log=log) for word in words))
    assert code == 2
    assert told in errors


def test_a_log_without_right_answers_has_nothing_to_count(moot, write_log):
    log = write_log([debate(n, None, box(5, 7), box(5, 5)) for n in range(3)])
    code, _, errors = moot("audit", str(log))
    assert code == 2
    assert "no right answer is known; there is nothing to count" in errors


def test_a_run_of_moots_own_is_audited_by_its_debates(moot, tmp_path):
    (tmp_path / "study.toml").write_text(
        'name = "own"\n[settings]\nmodel = "simulated/people?accuracy=0.6"\n'
        '[[datasets]]\nname = "arithmetic"\nn = 6\n'
        '[[arms]]\nprotocol = "single"\n[[arms]]\nprotocol = "society-of-minds"\n'
    )
    code, out, errors = moot("run", "study.toml", "--json")
    assert code == 0, errors
    code, out, errors = moot("audit", "own", "--json")
    assert code == 0, errors
    found = msgspec.json.decode(out)
    arms = {each["setting"] for each in found["figures"]}
    assert len(arms) == 1
    assert found["rule"] == ""
    assert found["by_their_rule"] == [None] * len(found["by_ours"])
    _, out, _ = moot("show", "own", "--json")
    own = {each["arm"]: each["accuracy"]["mean"] for each in msgspec.json.decode(out)["arms"]}
    assert own[arms.pop()] == found["by_ours"][-1]
