"""The models that a file describes, which a command is given."""

from pathlib import Path

from moot.core.errors import InputError
from moot.core.files import read_small
from moot.core.toml import parse_toml
from moot.models.described import parse_tables
from moot.models.tables import ModelTable
from moot.studies.extends import compose_study


def load_described_models(file: Path | None) -> dict[str, ModelTable]:
    """Return the models that a study's or a server's file describes; none without a file.

    Those of the studies that a study extends count as well.

    Raises:
        InputError: the file cannot be read, or what it describes is no model.
    """
    if file is None:
        return {}
    try:
        content = read_small(file)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    whole = parse_toml(content, where=str(file))
    if "extends" in whole:  # a study: no other file has it
        return parse_tables(
            compose_study(whole, str(file), file.parent, above=(file.resolve(),)).top.models,
            str(file),
        )
    raw = whole.get("models", {})
    listed = raw.items() if isinstance(raw, dict) else ()
    return parse_tables({name: table for name, table in listed if table}, str(file))
