"""Claims: found in result files, read from a file, and set beside the right rounds."""

import json

import pytest

import moot
from contrib.audits.conftest import box, debate
from moot.contrib.audits.claims import (
    Place,
    Stated,
    find_claims,
    place_claims,
    read_claim_file,
    read_claims,
    read_result,
)
from moot.contrib.imports.log_format import Unread

RESULTS = [
    ('[{"1_performance": "0.26"}, {"2_performance": "0.3"}]', "gsm_performance.json", [0.26, 0.3]),
    ('{"summary": {"accuracy": 0.8, "total": 25}, "details": []}', "x_eval.json", [0.8]),
    ('{"summary": {"mean_accuracy": 0.625, "evaluated": 24, "total": 25}}', "x_eval.json", [0.625]),
    ('{"accuracy": 81.5}', "summary.json", [0.815]),
    ("accuracies: 0.5 0.1\naccuracies: 0.81 0.04\n", "accuracies.txt", [0.81]),
    ("Accuracy: 79.2%\n", "eval.txt", [0.792]),
    ("model,accuracy\na,0.5\nb,0.75\n", "accuracies.csv", [0.5, 0.75]),
]


@pytest.mark.parametrize(("text", "name", "values"), RESULTS)
def test_a_result_file_states(text, name, values):
    [claim] = read_result(name, text)
    assert [value.share for value in claim.values] == values
    assert claim.exact
    assert claim.source.startswith(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[1, 2]", "x_eval.json"),
        ("{", "x_eval.json"),
        ('{"summary": 3}', "x_eval.json"),
        ('[{"question": "What?"}]', "results.json"),
        ("no figure", "eval.txt"),
        ("model,score\na,1\n", "accuracies.csv"),
    ],
)
def test_a_file_without_figures_states_nothing(text, name):
    assert list(read_result(name, text)) == []


def test_a_claim_of_evaluated_questions_has_their_number():
    [claim] = read_result("x_eval.json", RESULTS[2][0])
    assert claim.n == 24


TOML = """
[[claim]]
source = "A paper"
table = "Table 1"
row = "MMLU"
column = "Debate"
page = 5
values = [48.0, 0.0, 54.0]
n = 100
"""


def test_a_claim_file_names_its_place_and_keeps_its_digits(tmp_path):
    path = tmp_path / "claim.toml"
    path.write_text(TOML)
    [claim] = read_claim_file(path)
    assert claim.source == "A paper, Table 1, MMLU, Debate, page 5"
    assert [value.share for value in claim.values] == [0.48, 0, 0.54]
    assert {value.rounding for value in claim.values} == {0.0005}
    assert claim.n == 100
    path.write_text('[[claim]]\nvalue = 0.80\nunit = "share"\n[[claim]]\nvalue = 1\nunit="percent"')
    one, other = read_claim_file(path)
    assert (one.values[0].rounding, other.values[0].share) == (0.005, 0.01)
    as_json = tmp_path / "claim.json"
    as_json.write_text('{"claim": [{"values": [0.810, "79 %"], "unit": "share"}]}')
    with pytest.raises(moot.InputError, match="79 is above 1"):
        read_claim_file(as_json)
    as_json.write_text('[{"values": [0.810]}]')
    assert read_claim_file(as_json)[0].values[0].rounding == 0.0005


FAULTS = [
    ("[[claim]]\nvalue = 'high'", "'high' is no share and no percentage"),
    ("[[claim]]\nvalue = -0.5", "is no share"),
    ("[[claim]]\nvalues = [101]", "101 is above 100 %"),
    ("[[claim]]\nvalue = 0.5\nvalues = [0.5]", "give either value, or values"),
    ("[[claim]]\nrow = 'x'", "give either value, or values"),
    ("[[claim]]\nvalue = 0.5\nn = 0", "n: Expected `int` >= 1"),
    ("[[claim]]\nvalue = 0.5\nshare = 1", "unknown field `share`"),
    ("claim = []", "it states nothing"),
    ("[[claim]", "not TOML"),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_a_wrong_claim_file_says_where_and_what(text, fault, tmp_path):
    path = tmp_path / "claim.toml"
    path.write_text(text)
    with pytest.raises(moot.InputError, match=r"claim\.toml") as caught:
        read_claim_file(path)
    assert fault in str(caught.value)


OWN = """
title = "Our paper"
source = "us"
[[tables]]
table = "table 1"
title = "Accuracy"
place = "page 3"
unit = "percent"
columns = ["MMLU", "GPQA"]
n = [100, 50]
[[tables.misprints]]
row = "Debate: two"
column = "GPQA"
note = "The text has 30."
[[tables.rows]]
row = "Debate"
values = [48.0, 30.0]
[[tables.rows]]
row = "Debate: two"
values = [50, nan]
[[tables.rows]]
row = "Vote"
values = [47.50, 31.2]
"""


def test_a_published_cell_is_a_claim_with_its_digits_its_n_and_what_does_not_fit():
    [claim] = read_claims("mad:table 2:Self-Consistency:GPQA")
    assert claim.values == (Stated(0.24, 0.005),)
    assert claim.n == 448
    assert claim.source.startswith("Should we be going MAD?, table 2, Self-Consistency, GPQA (does")
    [claim] = read_claims("apf:table 1:PIQA: GPT-4o:Debate, open")  # names with colon and comma
    assert claim.values == (Stated(0.92, 0.00005),)
    assert claim.n == 304


@pytest.mark.parametrize(
    ("place", "shares", "rounding", "n"),
    [
        ("table 1:Vote:MMLU", [0.475], 0.00005, 100),
        (":Vote:GPQA", [0.312], 0.0005, 50),  # the only table
        ("table 1:Debate: two", [0.5], 0.005, 100),  # the other is not in print
        ("table 1::GPQA", [0.3, 0.312], 0.0005, 50),
        ("table 1:Debate", [0.48, 0.3], 0.0005, None),
    ],
)
def test_a_row_or_a_column_of_ones_own_values_is_a_claim(place, shares, rounding, n, tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(OWN)
    [claim] = read_claims(f"{path}:{place}")
    assert [value.share for value in claim.values] == pytest.approx(shares)
    assert {value.rounding for value in claim.values} == {rounding}
    assert claim.n == n


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("mad", "name a table: table 1; table 2; table 2, median; table 3"),
        ("mad:table 1:ChatEval", "table 1 is in ticks; a claim is a share"),
        ("mad:table 22:ChatEval", "unknown table 'table 22'; did you mean 'table 2'"),
        ("mad:table 2:Chateval:MMLU", "unknown row 'Chateval'; did you mean 'ChatEval'"),
        ("mad:table 2:ChatEval:MML", "unknown column 'MML'; did you mean 'MMLU'"),
        ("mad:table 2", "name a row, a column or both, as in table 2:Medprompt:MedQA; rows: "),
        ("mad:table 3, cost:x", "table 3, cost is in dollars; a claim is a share"),
        ("settings:table 1", "has no table of results"),
        ("made:table 1", "unknown paper 'made'; did you mean 'mad'"),
        ("nowhere.toml", "cannot be read"),
    ],
)
def test_a_wrong_place_in_a_paper_is_named_with_what_there_is(given, fault):
    with pytest.raises(moot.InputError) as caught:
        read_claims(given)
    assert str(caught.value).startswith(f"--claim {given}: ")
    assert fault in str(caught.value)


def test_a_file_of_published_values_is_told_from_a_claim_file(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(OWN)
    with pytest.raises(moot.InputError, match="name a row, a column or both"):
        read_claims(str(path))
    path.write_text(OWN.replace("values", "value"))
    with pytest.raises(moot.InputError, match=r"ours\.toml: tables\[0\]\.rows\[0\]"):
        read_claims(str(path))
    path.write_text(TOML)
    assert read_claims(str(path)) == read_claim_file(path)


def test_a_share_fits_within_rounding_and_a_written_one_within_half_a_question():
    stated = Stated(0.8, 0.05)
    assert stated.fits(0.76, 25, exact=False)
    assert not stated.fits(0.76, 25, exact=True)
    assert stated.fits(0.8, 25, exact=True)
    assert not stated.fits(0.74, 25, exact=False)
    assert not stated.fits(None, 0, exact=False)
    thirds = Stated(0.6667, 0.00005)
    assert thirds.fits(2 / 3, 3, exact=True)


PLACES = [
    Place(("a.json",), "debate a", 1, last=False),
    Place(("a.json",), "debate a", 2, last=True),
    Place(("b.json",), "debate b", 1, last=True),
]


def test_claims_are_of_rounds_of_settings_or_of_the_last_round(tmp_path):
    path = tmp_path / "claim.toml"

    def place(text):
        path.write_text(text)
        return [each and each[0].share for each in place_claims(read_claim_file(path), PLACES)]

    assert place("[[claim]]\nvalues = [0.1, 0.2, 0.3]") == [0.1, 0.2, 0.3]
    assert place("[[claim]]\nvalues = [0.2, 0.3]") == [None, 0.2, 0.3]
    assert place('[[claim]]\nvalue = 0.2\nlog = "a.json"') == [None, 0.2, None]
    assert place('[[claim]]\nvalues = [0.1, 0.2]\nlog = "debate a"') == [0.1, 0.2, None]
    with pytest.raises(moot.InputError, match="it has 4 values; the log has 3 rounds"):
        place("[[claim]]\nvalues = [0.1, 0.2, 0.3, 0.4]")
    with pytest.raises(
        moot.InputError, match=r"no debates of c\.json; there are debate a, debate b"
    ):
        place('[[claim]]\nvalue = 0.1\nlog = "c.json"')


def test_result_files_beside_a_log_are_found_and_others_are_not(audit, write_log, tmp_path):
    debates = [debate(n, "5", box(5, 5, 7), box(5, 7, 7)) for n in range(4)]
    log = write_log(debates, "sums_3_2.jsonl")
    assert audit(str(log))["claimed"] == [None, None]
    (tmp_path / "sums_3_2_eval.json").write_text('{"summary": {"accuracy": 0.0}}')
    (tmp_path / "other_eval.json").write_text('{"summary": {"accuracy": 0.5}}')
    found = audit(str(log))
    assert found["claimed"] == [None, 0]
    assert found["source"] == "sums_3_2_eval.json, summary.accuracy"
    assert "majority:boxed" in found["fitting"]
    assert "any:boxed" not in found["fitting"]


def test_a_claim_that_no_rule_fits_is_said_to_be_so(audit, write_log, tmp_path):
    log = write_log([debate(n, "5", box(5, 5, 5), box(5, 5, 5)) for n in range(4)])
    claim = tmp_path / "claim.json"
    claim.write_text(json.dumps([{"values": [0.5, 0.75]}]))
    found = audit(str(log), "--claim", str(claim))
    assert found["fitting"] == []
    assert found["claimed"] == [0.5, 0.75]
    assert "none of" in found["why"]
    assert "tried fit" in found["why"]
    assert found["tried"] == len(found["tried_rules"]) > 20


def test_a_result_file_that_does_not_belong_is_noted_and_not_used(audit, write_log, tmp_path):
    log = write_log([debate(n, "5", box(5, 5, 5), box(5, 5, 5)) for n in range(4)])
    three = '[{"1_performance": 0.5}, {"2_performance": 0.5}, {"3_performance": 0.5}]'
    (tmp_path / "log_performance.json").write_text(three)
    found = audit(str(log))
    assert found["claimed"] == [None, None]
    [note] = found["notes"]
    assert "it has 3 values" in note


def test_a_result_file_that_cannot_be_read_is_noted(audit, write_log, tmp_path):
    log = write_log([debate(n, "5", box(5, 5, 5)) for n in range(4)])
    (tmp_path / "log_eval.json").write_text('{"summary": {"accuracy": "n/a", "total": 4}}')
    (tmp_path / "log_summary.json").write_text("[" * 5000)
    found = audit(str(log))
    assert found["claimed"] == [None]
    [note] = found["notes"]
    assert note.startswith("Not read: log_eval.json, summary.accuracy: 'n/a' is no share")


def test_a_claim_of_ever_so_many_questions_takes_no_memory(audit, write_log, tmp_path):
    log = write_log([debate(n, "5", box(5, 5, 5)) for n in range(4)])
    (tmp_path / "log_eval.json").write_text('{"accuracy": 1.0, "total": 900000000000}')
    [figure] = audit(str(log))["figures"]
    assert figure["claimed"]["mean"] == 1
    assert figure["claimed"]["n"] == 900000000000


def test_results_of_other_settings_are_no_claim_of_the_only_log(tmp_path):
    """A result file that names other numbers is of another log; of several nobody knows."""
    (tmp_path / "gsm_1_2.json").write_text("{}")
    (tmp_path / "accuracy_3_2.txt").write_text("accuracy: 0.83")
    files = ["gsm_1_2.json"]
    assert list(find_claims(tmp_path, files)) == []
    (tmp_path / "summary.txt").write_text("accuracy: 0.76")
    [claim] = find_claims(tmp_path, files)
    assert (claim.values[0].share, claim.log) == (0.76, "gsm_1_2.json")
    (tmp_path / "eval.txt").write_text("accuracy: 0.75")
    unread = list(find_claims(tmp_path, files))
    assert [each.place for each in unread] == [
        f"{name}, the last accuracy" for name in ("eval.txt", "summary.txt")
    ]
    assert all("none named after the log" in each.why for each in unread)
    (tmp_path / "gsm_1_2_accuracy.txt").write_text("accuracy: 0.77")
    own = [each for each in find_claims(tmp_path, files) if not isinstance(each, Unread)]
    assert [claim.values[0].share for claim in own] == [0.77]
