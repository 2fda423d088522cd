"""Propositions to argue for or against (Hu et al. 2024, Debate-to-Write).

The 64 of figure 11 of arXiv:2406.19643, taken there from idebate.net and from Reddit's Change My
View. moot knows no address of a file with them: it takes a copy, one JSON object a line in the
figure's order. A row of this form, though not one of theirs:

    {"id": "proposition-00", "proposition": "We should abolish Mondays", "topic": "Society"}

becomes ``Question(id="proposition-00", kind="text", text="We should abolish Mondays")``, which has
no right answer. The topics are not kept. Rows as the figure has them, ``statement`` and ``topic``
alone, are read, too; their ids count them from 1.
"""

from pathlib import Path

from moot.extend.studies import describe_dataset

propositions = describe_dataset(Path(__file__).with_name("propositions.toml"))
