"""The report of several runs."""

import msgspec

from moot.reports.html import html_report
from support.report_page import Page, harmless, reported


def test_several_runs_share_a_table_and_have_a_section_each(rows, results):
    one = results(rows())
    two = results(rows(3), run="trial-2", name="Second trial", simulated={"society"})
    runs = [reported(one, rows()), reported(two, rows(3))]
    text = "".join(html_report(runs, transcripts=200))
    harmless(text)
    read = Page(text)
    for words in (
        "2 runs Trial (trial-1) sums : society is right on 100.0 %",
        "Second trial (trial-2) Partly simulated. sums : society (simulated) is right on",
        "All runs together Run Arm Accuracy %",
        "trial-1 single 50.0",
        "trial-2 society (simulated) 100.0",
        "2 arms on sums: 6 debates.",
    ):
        assert words in read.text, words
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    links = {attributes["href"][1:] for _, attributes in read.elements if "href" in attributes}
    assert len(ids) == len(set(ids))
    assert links <= set(ids)
    assert {"run1", "run2"} <= links
    assert sum(tag == "details" and "id" in of for tag, of in read.elements) == 18


def test_hostile_runs_stay_text_where_there_are_several(rows, results, hostile):
    made = [msgspec.structs.replace(row, dataset=hostile) for row in rows(2, text=hostile)]
    runs = [reported(results(made, run=f"{hostile}{k}", name=hostile), made) for k in range(2)]
    harmless("".join(html_report(runs, transcripts=9, missing=hostile)))
