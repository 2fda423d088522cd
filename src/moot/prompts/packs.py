"""Prompt packs: all wording, in one TOML file for each protocol; a user's file goes over them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from moot.core.confidence_scales import P_TRUE, WORDS
from moot.core.errors import InputError, UnknownName, check_known
from moot.core.files import read_small
from moot.core.questions import Example, Question
from moot.core.toml import parse_toml
from moot.prompts.source_file import OURS, SOURCES, find_source_file, read_source_file
from moot.prompts.templates import (
    check_template,
    compile_template,
    slots_of,
    spoken_slots,
    template_errors,
)

HERE = Path(__file__).parent / "packs"
STYLES = HERE / "styles.toml"
APART = ("confidence", "evidence", "math", "remark", "tool")
"""The tables that have a file each, and no part in the hash of a pack."""
CONFIDENCE, EVIDENCE, MATH, REMARK, TOOL = APART
NAMED = (*APART, "form", "opening", "part", "role", "step", "style", "value")
"""The tables that hold prompts by name."""
BARE = (*APART, "form", "opening", "value")
"""Those of them that have none of the slots of other prompts."""
ALONE = ("agreement", "given", "question")
"""The tables that are one prompt each."""
EVERYWHERE = frozenset(
    {
        *("question", "form", "value", "kind", "agreement", "examples", "task", "problem"),
        *("label", "style"),
    }
)
"""The slots that are filled in every prompt of a debate."""
BORROWS = "borrows"
"""The table of a pack that names prompts of other packs that it has, too, by protocol."""
SAID = ("role", "step")
"""The tables whose prompts may show what others said."""
KEYS = ("text", "reads_as", "form", "kept", "heard", "asked", "answered")

PromptTable = dict[str, Any]


class Step:
    """One prompt of a pack.

    Attributes:
        name: the name by which a protocol asks for it.
        reads_as: the name of the parser that reads its reply; ``answer`` unless the pack says
            otherwise.
        form: how the answer is to be given; None for the form of the agent's style.
        poses: whether it shows the task, the question in the agent's own style.
        states: whether it shows the problem: the task without the form of its answer.
        labels: whether it may show the agent's own label.
        modulates: whether it may say how far to agree.
        kept: the part that an agent that remembers is shown again later; None for the whole text.
            The text shows that part by its slot ``kept``.
        heard: the slot whose views are messages of the assistant before the prompt, each with its
            label; empty for none. The text need not show them.
        asked: of a few-shot style, an example's question as a message of the user; None if the
            style shows examples in its text alone.
        answered: the example's answer as a message of the assistant.

    Our own prompts are compiled when they are first rendered (``late``): compiling those that a
    debate never uses took longer than all else that is done before its first call. Our tests
    compile each.
    """

    def __init__(self, name: str, table: PromptTable, *, where: str, late: bool = False) -> None:
        self.name, self.where = name, where
        if not late:
            _check(table, where=where)
        self.reads_as: str = table.get("reads_as", "answer")
        self.heard: str = table.get("heard", "")
        self.source: str = table["text"].strip("\n")
        self.form, self.kept, self.asked, self.answered = (
            Step(name, {"text": table[key]}, where=f"{where}: {key}", late=late)
            if key in table
            else None
            for key in ("form", "kept", "asked", "answered")
        )
        self.labels = "label" in self.source or "label" in table.get("form", "")
        self.modulates = "agreement" in self.source
        # Looking for slots takes as long as compiling: only where the word stands at all.
        self.poses = "task" in self.source and "task" in slots_of(self.source, where=where)
        self.states = "problem" in self.source and "problem" in slots_of(self.source, where=where)
        self._slots: frozenset[str] | None = None
        if not late:
            check_template(self.source, where=where)
            self._slots = slots_of(self.source, where=where)
            self._slots |= {self.heard} if self.heard else set()
            if self.kept is not None:
                self._slots |= slots_of(self.kept.source, where=where)

    def shows(self, slot: str) -> bool:
        """Return whether the prompt shows a slot. One of ours shows each that it is given."""
        return self._slots is None or slot in self._slots

    def render(self, slots: dict[str, Any]) -> str:
        """Return the prompt with its slots filled. What fills them is data, never a template."""
        try:
            template = compile_template(self.source)
            # As its ``render`` does, without the two copies of all slots.
            return "".join(template.root_render_func(template.new_context(slots, shared=True)))
        except Exception as error:
            if isinstance(error, template_errors()):
                raise InputError(f"{self.where}: {error}") from None
            raise


class Pack:
    """The prompts of one protocol, with the styles every protocol shares.

    Attributes:
        digest: the content hash, 16 hexadecimal digits, without the tables of ``APART``; a
            transcript names its pack by it.
        confidence_digest: the content hash of the table ``confidence`` without ``p-true``.
        check_digest: the content hash of ``p-true``.
        evidence_digest: the content hash of the table ``evidence``.
        kind_digests: the content hashes of the tables of kinds of questions that have their own.
        styles: the names of its prompt styles, sorted.
        unshown: the prompts of a user's file that do not show what others said, where ours do,
            each with the slot that it lacks: ``"step.revise: others"``.
        readers: the names of the parsers of its replies, each with a place that names it; none of
            a pack of ours, whose parsers our tests look up.
    """

    @staticmethod
    def load(name: str, *, beside: Path, overlay: Path | None, protocols: Iterable[str]) -> "Pack":
        """Return the pack of a package that is no protocol's; see ``load_pack``."""
        return load_pack(name, beside=beside, overlay=overlay, protocols=protocols)

    def __init__(self, tables: PromptTable, *, where: str, late: bool = False) -> None:
        self.digest = _hash({name: tables[name] for name in tables if name not in APART})
        asks = dict(tables.get(CONFIDENCE, {}))
        self.check_digest = _hash({CONFIDENCE: {P_TRUE: asks.pop(P_TRUE, {})}})
        self.confidence_digest = _hash({CONFIDENCE: asks})
        self.evidence_digest = _hash({EVIDENCE: tables.get(EVIDENCE, {})})
        self.kind_digests = {MATH: _hash({MATH: tables.get(MATH, {})})}
        self._steps = {
            (kind, name): Step(name, table, where=f"{where}: {kind}.{name}", late=late)
            for kind in NAMED
            for name, table in tables.get(kind, {}).items()
        }
        if ("step", "answer") in self._steps:
            raise InputError(f"{where}: step.answer: that is how an agent answers alone: a style")
        self._alone = {
            name: Step(name, tables[name], where=f"{where}: {name}", late=late) for name in ALONE
        }
        self._rendered: dict[tuple[str, str, str], str] = {}
        own = () if late else self._steps.values()
        self.readers = {step.reads_as: step.where for step in own}
        self.styles = sorted(tables["style"])
        self.unshown: tuple[str, ...] = ()

    def step(self, name: str) -> Step:
        """Return the prompt of a step or a style. Raises ``UnknownName``."""
        found = self._steps.get(("step", name)) or self._steps.get(("style", name))
        if found is None:
            steps = [step for kind, step in self._steps if kind in {"step", "style"}]
            raise UnknownName("prompt step", name, steps)
        return found

    def list_prompts(self, *kinds: str) -> list[tuple[str, Step]]:
        """Return the prompts of these tables by their names, such as ``"step.revise"``.

        Those of ``ALONE`` go by the table's name.
        """
        named = [
            (f"{kind}.{name}", step) for (kind, name), step in self._steps.items() if kind in kinds
        ]
        return [*named, *((name, step) for name, step in self._alone.items() if name in kinds)]

    def role(self, name: str) -> Step | None:
        """Return the system message of a role; None if it has none."""
        return self._steps.get(("role", name))

    def part(self, name: str) -> Step:
        """Return a text that stands in prompts and is never sent by itself. Raises ``KeyError``."""
        return self._steps["part", name]

    def places(self, slot: str) -> tuple[str, ...]:
        """Return the roles and steps whose prompts have this slot, e.g. ``("step.revise",)``."""
        return tuple(
            f"{kind}.{name}"
            for (kind, name), step in self._steps.items()
            if kind in {"role", "step"} and slot in step.source
            if slot in slots_of(step.source, where=step.where)
        )

    def question(self, question: Question) -> str:
        """Return the question as agents see it, with its context and choices."""
        return self._alone["question"].render(
            {
                "context": question.context,
                "text": question.text,
                "choices": question.choices,
                "letters": question.letters,
            }
        )

    def opening(self, question: Question, values: Sequence[str]) -> str:
        """Return the text that asks whether one of these values is the right answer."""
        own = self._steps.get((question.kind, "opening"))
        return (own or self._steps["opening", question.kind]).render({"values": values}).strip()

    def render_given(self, question: str, others: list[dict[str, Any]]) -> str:
        """Return the question with the verdicts of other nodes, for the nodes of a network."""
        return self._alone["given"].render({"question": question, "others": others})

    def agreement(self, percent: int | None) -> str:
        """Return the instruction how far to agree, in percent; empty if ``percent`` is None."""
        if percent is None:
            return ""
        return self._alone["agreement"].render({"percent": percent}).strip()

    def confidence(self, scale: str) -> str:
        """Return the text that asks how sure an agent is; empty where ``scale`` is."""
        return self._steps[CONFIDENCE, scale].render({"words": [*WORDS]}).strip() if scale else ""

    def word(self, table: str, name: str, /, **slots: Any) -> str:  # noqa: ANN401 -- as in a prompt
        """Return a text of a table that stands apart, with its slots filled."""
        return self._steps[table, name].render(slots).strip()

    def example(self, example: Example) -> dict[str, str]:
        """Return a few-shot example as the styles show it."""
        asked = example.question
        answer = asked.answers[0]
        return {
            "question": self.question(asked).strip(),
            "reason": example.reason,
            "answer": f"({answer})" if asked.kind == "choice" else answer,
        }

    def plain(self, table: str, name: str, value: str = "") -> str:
        """Return the form or the value of a kind of questions, or of a style that has its own.

        The form says how to answer; the value stands for an answer, e.g. ``"the number"``. Some
        kinds have a table of their own. Each is rendered once.

        Args:
            table: ``"form"`` or ``"value"``.
            name: of the kind or the style.
            value: what fills the form's slot of that name.
        """
        found = self._rendered.get((table, name, value))
        if found is None:
            step = self._steps.get((name, table)) or self._steps[table, name]
            found = step.render({"value": value}).strip()
            self._rendered[table, name, value] = found
        return found

    def own_form(self, style: str, value: str = "") -> dict[str, str]:
        """Return the form and the value of a style that has its own; empty for all others.

        Args:
            style: the style.
            value: what stands for an answer of the question's kind; the form's slot of that name.
        """
        own = [kind for kind in ("form", "value") if (kind, style) in self._steps]
        return {kind: self.plain(kind, style, value) for kind in own}


def load_pack(
    protocol: str,
    *,
    beside: Path | None = None,
    overlay: Path | None = None,
    protocols: Iterable[str] = (),
    source: str = OURS,
) -> Pack:
    """Return the pack of a protocol.

    Args:
        protocol: its registered name.
        beside: the protocol's own source file; a plug-in keeps its pack next to it, as ``.toml``.
        overlay: a user's file of prompts to lay over ours: tables ``form``, ``style`` and
            ``question`` for all protocols, and a table named after a protocol for its own.
        protocols: the other names after which a table of the overlay may be named.
        source: whose words it has, of moot's own meaning or of a source's: ``OURS``, or one of
            ``SOURCES``.

    Raises:
        InputError: the file cannot be read, is no TOML, or uses a slot that does not exist.
        UnknownName: it names a table, step or style that does not exist.
    """
    if overlay is None:
        return _load(protocol, beside, None, frozenset(), 0, source)
    try:
        changed = overlay.stat().st_mtime_ns
    except OSError as error:
        raise InputError(f"prompts {overlay}: {error.strerror}") from None
    return _load(protocol, beside, overlay, frozenset(protocols), changed, source)


@cache
def _load(
    protocol: str,
    beside: Path | None,
    overlay: Path | None,
    protocols: frozenset[str],
    _changed: int,
    source: str,
) -> Pack:
    tables = _read(STYLES)
    for name in APART:
        tables |= _read(HERE / f"{name}.toml")
    name = protocol.replace("-", "_") + ".toml"
    own = HERE / name
    if not own.exists() and beside is not None:
        own = beside.with_suffix(".toml")
    if own.exists():
        _join(tables, own)
    if source in SOURCES and beside is not None and find_source_file(beside).exists():
        _put(tables, read_source_file(find_source_file(beside)).get(source, {}))
    before = {kind: {**tables.get(kind, {})} for kind in SAID}
    if overlay is not None:
        _lay_over(tables, _read(overlay), protocol, protocols, where=str(overlay))
    ours = overlay is None and (own.parent == HERE or not own.exists())
    made = Pack(tables, where=str(overlay or own.name), late=ours)
    if overlay is not None:
        made.unshown = tuple(_list_unshown(before, tables))
    return made


def _list_unshown(before: PromptTable, after: PromptTable) -> Iterator[str]:
    """Yield the prompts that show less of what others said than before, with the slot."""
    for kind, prompts in before.items():
        for name, ours in prompts.items():
            theirs = after[kind][name]
            if theirs is ours:
                continue
            shown = {theirs.get("heard", "")}
            for key in ("text", "kept"):
                shown |= slots_of(theirs.get(key, ""), where=f"{kind}.{name}")
            said = spoken_slots(ours["text"]) | {*filter(None, [ours.get("heard")])}
            for slot in sorted(said - shown):
                yield f"{kind}.{name}: {slot}"


def _join(tables: PromptTable, path: Path) -> None:
    """Add the prompts of a pack, after those that it borrows from packs beside it."""
    own = _read(path)
    for protocol, names in own.pop(BORROWS, {}).items():
        lender = _read(path.with_name(f"{protocol.replace('-', '_')}.toml"))
        for name in names:
            table, dot, entry = name.partition(".")
            if dot:
                own[table] = {entry: lender[table][entry]} | own.get(table, {})
            else:
                own.setdefault(table, lender[table])
    _put(tables, own)


def _put(tables: PromptTable, further: PromptTable) -> None:
    """Add prompts, or put them in place of those of the same name."""
    for table, prompts in further.items():
        tables[table] = tables.get(table, {}) | prompts if table in NAMED else prompts


def _hash(tables: PromptTable) -> str:
    content = repr(sorted((name, sorted(table.items())) for name, table in tables.items()))
    return blake2b(content.encode(), digest_size=8).hexdigest()


def _read(path: Path) -> PromptTable:
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(f"prompts {path}: {error}") from None
    return parse_toml(content, where=f"prompts {path}")


def _lay_over(
    tables: PromptTable, over: PromptTable, protocol: str, protocols: frozenset[str], *, where: str
) -> None:
    """Replace prompts by the user's, and add styles of the user's own.

    A prompt that is replaced has to exist, and so have its slots. A style that is added says
    ``new = true``, so that a mistyped name is not taken for one; it may have a form and a value.
    """
    styles = over.get("style", {})
    new = {name for name in styles if _is_new(styles[name])} if isinstance(styles, dict) else set()
    for table, entries in over.items():
        if not isinstance(entries, dict):
            raise InputError(f"{where}: {table}: expected a table of prompts")
        if table == protocol:
            _lay_over(tables, entries, "", frozenset(), where=f"{where}: {protocol}")
        elif table in ALONE:
            _replace(tables, table, entries, set(), where=where)
        elif table in NAMED:
            for name, entry in entries.items():
                if name in new and table in {"style", "form", "value"}:
                    tables[table] = _add(tables[table], name, entry, where=f"{where}: {table}")
                    continue
                check_known(f"{table} prompt", [name], tables.get(table, {}), where=where)
                common = set() if table in BARE else set(EVERYWHERE)
                _replace(tables[table], name, entry, common, where=f"{where}: {table}")
        elif table not in protocols:
            known = {*NAMED, *ALONE, *protocols, protocol} - {""}
            raise UnknownName("table", table, known, where=where)


def _is_new(entry: object) -> bool:
    return isinstance(entry, dict) and entry.get("new") is True


def _add(prompts: PromptTable, name: str, entry: PromptTable, *, where: str) -> PromptTable:
    """Return the prompts with one more, of a style that is new."""
    if name in prompts:
        raise InputError(f"{where}: {name}: moot has it already; leave out new = true to change it")
    entry = {key: value for key, value in entry.items() if key != "new"}
    _check(entry, where=f"{where}: {name}")
    for slot in sorted(slots_of(entry["text"], where=f"{where}: {name}") - EVERYWHERE):
        raise UnknownName("slot", slot, EVERYWHERE, where=f"{where}: {name}")
    return prompts | {name: entry}


def _check(entry: PromptTable, *, where: str) -> None:
    """Raise ``InputError`` if this is no prompt, or has an unknown key."""
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        raise InputError(f'{where}: a prompt needs text = "…"')
    for key in entry.keys() - KEYS:
        raise UnknownName("key", key, KEYS, where=where)
    shows = [key for key in ("asked", "answered") if isinstance(entry.get(key), str)]
    if shows and len(shows) < 2:
        raise InputError(f'{where}: {shows[0]}: examples as messages need asked = "…" and answered')


def _replace(
    prompts: PromptTable, name: str, entry: PromptTable, common: set[str], *, where: str
) -> None:
    """Put one prompt in place of ours, after looking at the slots it uses.

    A text without ``asked`` and ``answered`` of its own shows examples itself, if it shows any.
    """
    _check(entry, where=f"{where}: {name}")
    ours = {key: value for key, value in prompts[name].items() if key not in {"asked", "answered"}}
    known = slots_of(ours["text"], where=where) | common
    known |= slots_of(ours.get("kept", ""), where=where) | {*filter(None, [ours.get("heard")])}
    shows = {"text": known, "kept": known, "asked": {"example"}, "answered": {"example"}}
    for key, slots in shows.items():
        for slot in sorted(slots_of(entry.get(key, ""), where=f"{where}: {name}") - slots):
            raise UnknownName("slot", slot, slots, where=f"{where}: {name}")
    spoken = spoken_slots(ours["text"]) | {*filter(None, [ours.get("heard")])}
    if (heard := entry.get("heard", "")) != "" and heard not in [*spoken]:
        raise UnknownName("slot", str(heard), spoken, where=f"{where}: {name}: heard")
    prompts[name] = ours | entry
