"""How much of a run's prompts an endpoint could serve from its cache, and what it did serve."""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import groupby, islice
from typing import Annotated, NamedTuple

from msgspec import Meta

from moot.analyses.analysis import analysis, check_found
from moot.analyses.prefix_cache import TimedPrompt, TokenRow, count_hosted, replay_prompts
from moot.analyses.prompt_orders import RecordedPrompt, read_prompts, reorder_prompts
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_percent, format_things
from moot.core.messages import Message
from moot.core.table import Column, Report, ResultTable, TableRow
from moot.models.embedding import tokenize

WORTH = 0.05
"""Another order is told where its share is so much greater."""

PIECES = "tokens of the embedding model's tokenizer"
WORDS = "words, in pieces of at most five letters: moot[embed] and its tokenizer are not installed"
NO_PROMPTS = "the store has no prompt of its debates"
WITHOUT = "Prompts about secret questions are not stored, or the store no longer has them."

Encoder = Callable[[str], Sequence[Hashable]]

_pieces = re.compile(r" ?\w{1,5}|[^\w\s]|\s")


class CacheShares(NamedTuple):
    """The shares of an arm's prompt tokens that are cached.

    Attributes:
        debates: how many there are, as prompts and their tokens.
        in_debate: as sent, where every debate has a cache of its own.
        best_in_debate: the greater of that and of another order; see ``reorder_prompts``.
        in_run: as sent, where all debates share a cache.
        best_in_run: the greater of that and of another order.
        hosted: in the run, as sent, what a hosted endpoint counts.
        reported: what the endpoint reported; None where prompt tokens are unknown.
    """

    debates: int
    prompts: int
    tokens: int
    in_debate: float
    best_in_debate: float
    in_run: float
    best_in_run: float
    hosted: float
    reported: float | None


def _lack_prompts(runs: RecordedRuns) -> str:
    known = any(read_prompts(runs.lab, [each], 1) for each in runs.examples)
    return "" if known else NO_PROMPTS


@analysis(
    source="RadixAttention: arXiv:2312.07104, section 3; vLLM, automatic prefix caching",
    group="price",
    place=95,
    name="prompt-caching",
    reported=False,
    lacks=_lack_prompts,
)
def analyse_prompt_caching(
    runs: RecordedRuns,
    *,
    questions: Annotated[int, Meta(ge=1, description="the most debates read of each method")] = 50,
    at_once: Annotated[int, Meta(ge=1, description="debates under way at the same time")] = 8,
    block: Annotated[
        int, Meta(ge=1, le=128, description="tokens of a block: 16 as in vLLM, 1 as in SGLang")
    ] = 16,
    size: Annotated[
        int, Meta(ge=0, description="the most tokens kept for a model; 0: all of them")
    ] = 0,
) -> Report:
    """Show how many prompt tokens an endpoint could have cached, as sent and in another order.

    Every prompt is replayed, as the store has it, on a cache of prompts by their beginnings: within
    its debate, and within the method's debates together. A prompt profits from those whose replies
    were there when it was sent. "best": the same paragraphs in each prompt, in an order of which
    more is cached, for what another wording could reach. "hosted" counts as OpenAI does: none below
    1,024 tokens, and whole steps of 128. "reported" is what the endpoint said.
    """
    rows: list[TableRow] = []
    findings: list[str] = []
    withheld = 0
    for arm in runs.arms:
        for dataset, own in groupby(runs.debates(arm.name), lambda debate: debate.dataset):
            prompts = read_prompts(runs.lab, list(islice(own, questions)), at_once)
            if prompts is None:
                withheld += 1
            elif prompts:
                found = measure_shares(prompts, block=block, size=size or None)
                rows.append(TableRow([dataset, arm.name, *found]))
                findings += _find_order(arm.name, dataset, found)
    check_found(rows, runs, NO_PROMPTS)
    return Report(
        title=f"Prompt caching: {runs.name}",
        about=runs.key,
        tables=[_tabulate(rows, questions, at_once, block, size)],
        notes=(f"Left out: {format_things(withheld, 'method')}. {WITHOUT}",) if withheld else (),
        findings=tuple(findings),
    )


def measure_shares(
    prompts: Sequence[RecordedPrompt], *, block: int = 16, size: int | None = None
) -> CacheShares:
    """Return the shares of prompt tokens that are cached, of at least one prompt.

    Args:
        prompts: of one arm, at least one.
        block: tokens of a block.
        size: the most tokens that the cache of a model keeps; None for no limit.
    """
    encode = tokenize if _has_tokenizer() else _split_words
    sent = [_frame(prompt.messages, encode) for prompt in prompts]
    tokens = sum(map(len, sent))

    def share(rows: Sequence[TokenRow], *, apart: bool) -> tuple[float, list[int]]:
        timed = list(_time(prompts, rows, encode, apart=apart))
        cached = replay_prompts(timed, block=block, size=size)
        return sum(cached) / sum(map(len, rows)), cached

    def reorder(some: Sequence[RecordedPrompt]) -> list[TokenRow]:
        return [[each for text in own for each in encode(text)] for own in reorder_prompts(some)]

    debates = [list(own) for _, own in groupby(prompts, lambda prompt: prompt.debate)]
    in_debate, _ = share(sent, apart=True)
    by_debate = [each for own in debates for each in reorder(own)]
    other_debate, _ = share(by_debate, apart=True)
    in_run, cached = share(sent, apart=False)
    other_run, _ = max(share(rows, apart=False) for rows in (by_debate, reorder(prompts)))
    hosted = sum(map(count_hosted, cached)) / tokens
    read = [prompt.turn.prompt_tokens for prompt in prompts]
    known = sum(filter(None, read)) if None not in read else 0
    return CacheShares(
        debates=len(debates),
        prompts=len(prompts),
        tokens=tokens,
        in_debate=in_debate,
        best_in_debate=max(in_debate, other_debate),
        in_run=in_run,
        best_in_run=max(in_run, other_run),
        hosted=hosted,
        reported=sum(prompt.turn.cached_tokens for prompt in prompts) / known if known else None,
    )


def _frame(messages: Sequence[Message], encode: Encoder) -> TokenRow:
    """Return messages in tokens; each has two more, where it begins and where it ends."""
    return [token for each in messages for token in (each.role, *encode(each.content), "end")]


def _time(
    prompts: Sequence[RecordedPrompt], rows: Sequence[TokenRow], encode: Encoder, *, apart: bool
) -> Iterator[TimedPrompt]:
    """Yield the prompts with their times; ``apart`` gives each debate a cache of its own."""
    for prompt, tokens in zip(prompts, rows, strict=True):
        reply = _frame([Message("assistant", prompt.turn.text)], encode)
        model = f"{prompt.debate if apart else ''} {prompt.turn.model}"
        yield TimedPrompt(prompt.begin, prompt.end, model, tokens, reply)


def _tabulate(
    rows: list[TableRow], questions: int, at_once: int, block: int, size: int
) -> ResultTable:
    """Return the table, with a note on how it was measured."""
    kept = f"{size:,} tokens for each model" if size else "all of them"
    columns = (
        *(Column("dataset"), Column("arm", head="method")),
        *(Column(name, "count") for name in ("debates", "prompts", "tokens")),
        Column("as sent %", "percent", group="in a debate"),
        Column("best %", "percent", group="in a debate"),
        Column("as sent %", "percent", group="in the run"),
        Column("best %", "percent", group="in the run"),
        Column("hosted %", "percent"),
        Column("reported %", "percent"),
    )
    note = (
        f"In {PIECES if _has_tokenizer() else WORDS}. Blocks of {block}; the cache keeps {kept}. "
        f"Debates at once: {at_once}. At most {format_things(questions, 'debate')} of each method."
    )
    return ResultTable("Prompt tokens that an endpoint could cache", columns, rows, note)


def _find_order(arm: str, dataset: str, found: CacheShares) -> Iterator[str]:
    """Yield a sentence where another order is worth a look."""
    if found.best_in_run >= found.in_run + WORTH:
        yield (
            f"{arm} on {dataset}: {format_percent(found.in_run)} % of the prompt tokens could be "
            f"cached, and {format_percent(found.best_in_run)} % with its paragraphs in another "
            "order."
        )


@lru_cache(1)
def _has_tokenizer() -> bool:
    return all(find_spec(name) for name in ("tokenizers", "wordllama", "safetensors"))


@lru_cache(65_536)
def _split_words(text: str) -> list[str]:
    return _pieces.findall(text)
