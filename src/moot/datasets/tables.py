"""Reading published CSV files row by row, with errors that name the file and the line."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import msgspec

from moot.core.errors import not_utf8
from moot.datasets.records import Row, Wrong, damaged


def csv_rows(
    path: Path, row: type[Row], wrong: Wrong = damaged, *, data: bytes | None = None
) -> Iterator[tuple[int, Row]]:
    """The rows of a CSV file under its header, each with the line number where it starts, from 1.

    Cells become what ``row`` says of their columns; columns it does not name are not read. ``data``
    is what the file holds, where that cannot be read from ``path`` as it is.

    Raises:
        InputError: for a row that cannot be read, or that has not one cell for each column.
    """
    data = path.read_bytes() if data is None else data
    try:
        file = StringIO(data.decode("utf-8-sig"), newline="")
    except UnicodeDecodeError as error:
        raise wrong(path, data.count(b"\n", 0, error.start) + 1, not_utf8(error)) from None
    table = csv.reader(file, strict=True)
    header: list[str] = []
    while True:
        line = table.line_num + 1
        try:
            cells = next(table)
            if not header:
                header = cells
            elif cells:  # an empty line has none
                named = dict(zip(header, cells, strict=True))
                yield line, msgspec.convert(named, row, strict=False)
        except StopIteration:
            return
        except (csv.Error, msgspec.ValidationError) as error:
            raise wrong(path, line, str(error)) from None
        except ValueError:
            why = f"it has {len(cells)} cells, the header {len(header)}"
            raise wrong(path, line, why) from None
