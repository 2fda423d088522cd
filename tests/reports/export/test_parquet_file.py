import subprocess
import sys

import pytest

from moot.reports.export.export_tables import ExportTable, make_export_table
from moot.reports.export.parquet_file import GROUP, parquet_file

COLUMNS = {
    "name": "text", "n": "whole", "x": "real", "yes": "truth", "many": "texts", "ids": "wholes"
}  # fmt: skip


def test_columns_have_their_types_and_rows_come_in_groups(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    rows = [[f"=é{n}", n, n / 2, n % 2 == 0, ("a", "|"), (n,)] for n in range(GROUP + 1)]
    rows[1] = [None] * 6
    with parquet_file(path, ExportTable(COLUMNS, iter)) as write:
        for row in rows:
            write(row)
    with parquet.ParquetFile(path) as file:
        assert file.num_row_groups == 2
        assert list(map(str, file.schema_arrow.types)) == [
            "string", "int64", "double", "bool", "list<element: string>", "list<element: int64>",
        ]  # fmt: skip
        assert file.metadata.row_group(0).column(0).compression == "ZSTD"
        back = [list(row.values()) for row in file.read().to_pylist()]
    assert [[tuple(c) if isinstance(c, list) else c for c in row] for row in back] == rows


@pytest.mark.parametrize("what", ["debates", "turns"])
def test_both_tables_can_be_written(tmp_path, debates, what):
    parquet = pytest.importorskip("pyarrow.parquet")
    path, made = tmp_path / "t.parquet", make_export_table(what, ["accuracy"])
    rows = [row for debate in debates for row in made.rows(debate)]
    with parquet_file(path, made) as write:
        for row in rows:
            write(row)
    back = parquet.read_table(path)
    assert back.num_rows == len(rows)
    assert back.column_names == list(made.columns)


def test_a_table_without_rows_has_its_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with parquet_file(tmp_path / "t.parquet", ExportTable(COLUMNS, iter)):
        pass
    assert parquet.read_table(tmp_path / "t.parquet").column_names == list(COLUMNS)


def test_without_pyarrow_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"  # as where it is not installed
        "from pathlib import Path\n"
        "from moot.reports.export.parquet_file import parquet_file\n"
        "parquet_file(Path('t.parquet'), None).__enter__()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.stderr.strip().endswith("InputError: to write Parquet, pip install 'moot[data]'")
    assert not list(tmp_path.glob("*.parquet"))
