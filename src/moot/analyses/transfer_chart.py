"""The chart of settings that were chosen on other questions than they are scored on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moot.analyses.measured_arms import note_questions, read_mean
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.display_text import format_percent
from moot.protocols import SINGLE

if TYPE_CHECKING:
    from moot.analyses.transfer import Transfer

CHOSEN = {
    "same_domain": "chosen on the other datasets of the domain",
    "folds": "chosen on the other questions of the dataset, fold by fold",
}
"""How the arm of a protocol is chosen, by the field of its score; the paper's way comes first."""


def chart_transfer(found: "Transfer") -> Iterator[Chart]:
    """Yield figure 3: each protocol's arm that was chosen on held-out datasets, by domain.

    A protocol is in a panel if it was run on every dataset of the domain. Where a domain has one
    dataset alone, arms are chosen on its other questions.
    """
    rows: list[DataRow] = []
    ways = {}
    for domain, datasets in found.domains.items():
        own = [each for each in found.overall if each.domain == domain]
        way = next((w for w in CHOSEN if any(getattr(e, w).mean is not None for e in own)), None)
        if way is None or len(own) < 2:
            continue
        ways[domain] = CHOSEN[way]
        known = [(each, got) for each in own if (got := getattr(each, way)).mean is not None]
        single = next((got.mean for each, got in known if each.protocol == SINGLE), None)
        rows += [
            {
                "domain": f"{domain}: {', '.join(datasets)}",
                "protocol": each.protocol,
                **read_mean("accuracy", got),
                "single": single,
                "shown": f"{format_percent(got.mean)} %",
            }
            for each, got in sorted(known, key=lambda pair: -pair[1].mean)
        ]
    if rows:
        told = "; ".join(f"{domain}: {words}" for domain, words in ways.items())
        yield Chart(
            "transfer",
            "Protocols with settings chosen elsewhere",
            "The accuracy of each protocol, averaged over the datasets of a domain, which count "
            f"alike, with the settings that were best elsewhere ({told}). Whiskers are 95 % "
            f"intervals over questions. The dashed line is the protocol {SINGLE}. After "
            "arXiv:2311.17371, figure 3.",
            rows,
            Plot(
                "bars",
                Axis("accuracy", "accuracy", "share"),
                Axis("protocol", "", "text"),
                panel="domain",
                label="shown",
                reference="single",
                tooltip=(Axis("questions"),),
            ),
            (
                *note_questions(
                    [each.average.questions for each in found.overall], simulated=found.simulated
                ),
                *[f"Dashed line: {SINGLE}"] * any(row["single"] is not None for row in rows),
            ),
        )
