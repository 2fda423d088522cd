"""Networks: known accuracies of paths, layers and sweeps, and planted differences between them."""

import pytest

from moot.core.stored import Arm
from support.recorded import analyse_values

NODES = [{"name": name} for name in "ABC"]
PATHS = {"graph": "own", "nodes": NODES, "edges": [["A", "judge"], ["B", "C"], ["C", "judge"]]}
LAYERS = {"graph": "two", "nodes": NODES, "edges": [["A", "C"], ["B", "C"], ["C", "judge"]]}


def arm(name, settings):
    return Arm(name=name, protocol="network", settings=settings)


def rows(name, n, parts):
    """Rows of n questions; each part is right on so many of them, the first ones."""
    return [
        (name, "sums", f"q{k}", 0, {part: float(k < right) for part, right in parts.items()})
        for k in range(n)
    ]


def test_paths_are_shown_by_their_last_nodes_and_layers_by_their_means(tmp_path):
    arms = [arm("paths", PATHS), arm("layers", LAYERS)]
    parts = {"accuracy": 6, "node:A": 5, "node:B": 1, "node:C": 8, "layer:1": 3, "layer:2": 8}
    made = [*rows("paths", 10, parts), *rows("layers", 10, parts)]
    report = analyse_values(tmp_path, arms, made, "networks")
    by_title = {table.title: table for table in report.tables}
    paths, layers = by_title["sums: own"], by_title["sums: two"]
    assert [column.name for column in paths.columns[1:]] == [
        "path A %",
        "path C %",
        "network %",
        "questions",
    ]
    assert [cell.mean for cell in paths.rows[0].cells[1:4]] == [0.5, 0.8, 0.6]
    assert [column.name for column in layers.columns[1:4]] == [
        "layer 1 %",
        "layer 2 %",
        "network %",
    ]
    assert [cell.mean for cell in layers.rows[0].cells[1:4]] == [0.3, 0.8, 0.6]
    compared = by_title["sums: paths and layers compared"]
    found = {(row.band, row.cells[0]): row.cells for row in compared.rows}
    gap = found["layers", "layer 2 − layer 1"][1]
    assert (gap.mean, gap.p) == (0.5, 2 / 2**5)
    assert gap.p_holm == pytest.approx(min(1, 4 * gap.p))
    assert any(
        each.startswith("paths on sums: network − path C: −20.0 points") and "after Holm" in each
        for each in report.findings
    )
