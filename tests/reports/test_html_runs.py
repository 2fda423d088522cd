"""The report of several runs."""

from moot.analyses.arm_accuracy import report_accuracy
from moot.reports.html import html_page
from support.report_page import Page, harmless, reported


def test_several_runs_share_tables_and_have_transcripts_each(rows, results):
    one = results(rows())
    two = results(rows(3), run="trial-2", name="Second trial", simulated={"society"})
    runs = [reported(one, rows()), reported(two, rows(3))]
    text = "".join(
        html_page(
            [report_accuracy(one), report_accuracy(two)], runs=runs, transcripts=200, figures=False
        )
    )
    harmless(text)
    read = Page(text)
    for words in (
        "Accuracy: Trial",
        "Accuracy: Second trial",
        "society is right most often: on 100.0 %",
        "society (simulated) is right most often",
        "single 50.0",
        "trial-2: 2 methods on sums: 6 debates.",
        "Transcripts trial-1",
        "Transcripts trial-2",
    ):
        assert words in read.text, words
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    links = {attributes["href"][1:] for _, attributes in read.elements if "href" in attributes}
    assert len(ids) == len(set(ids))
    assert links <= set(ids)
    assert sum(of.get("class") == "debate" for _, of in read.elements) == 18
