"""How often an essay has the length that was asked for, within 15 %, by a model of your choice.

Run ``python bench/lengths.py MODEL``: ``essay-direct`` on the eight propositions of moot's own, at
100 and at 200 words (``--words 300,600`` for others), one call after the other. Of each length it
tells how many essays were right at once, and how many after the one call that a writer gets to mend
a length; with the exact interval of 95 %. What was paid for is in the store, so that a run that was
stopped goes on. An essay that is cut off by ``--max-tokens`` counts as it is.
"""

import asyncio
from argparse import ArgumentParser
from collections.abc import Sequence

import msgspec

import moot
from moot.contrib.essays.essay_length import is_off
from moot.contrib.essays.essay_text import read_essay
from moot.contrib.essays.studies import FOLDER
from moot.contrib.essays.text_measures import words
from moot.statistics.intervals import clopper_pearson

PROPOSITIONS = FOLDER / "own-propositions.jsonl"


async def measure(model: str, protocol: str, asked: int, most: int) -> list[tuple[str, str]]:
    """Return each first essay, and the one that counted."""
    found = []
    for line in PROPOSITIONS.read_bytes().splitlines():
        written = await moot.write(
            msgspec.json.decode(line)["question"],
            protocol=protocol,
            model=model,
            words=asked,
            max_tokens=most,
        )
        final = written.essay or ""
        drafts = [read_essay(each.text) for each in written.dialogue if each.step == "essay"]
        first = (drafts[0] if drafts else final) or ""
        found.append((first, final))
        print(f"  {asked} words asked for: {words(first)}, then {words(final)}", flush=True)
    return found


def tell(asked: int, essays: Sequence[str], when: str) -> None:
    """Print how many essays are within 15 %."""
    right, n = sum(not is_off(each, asked) for each in essays), len(essays)
    low, high = clopper_pearson(right, n)
    print(f"{asked} words, {when}: {right} of {n} within 15 % ({low:.2f} to {high:.2f})")


def main() -> None:
    """Measure, and print the shares."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--words", default="100,200")
    parser.add_argument("--protocol", default="essay-direct")
    parser.add_argument("--max-tokens", type=int, default=1200)
    given = parser.parse_args()
    for asked in map(int, given.words.split(",")):
        found = asyncio.run(measure(given.model, given.protocol, asked, given.max_tokens))
        tell(asked, [first for first, _ in found], "at once")
        tell(asked, [final for _, final in found], "in the end")


if __name__ == "__main__":
    main()
