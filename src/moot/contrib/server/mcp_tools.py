"""The tools that assistants call through the Model Context Protocol."""

from collections.abc import Callable
from contextlib import aclosing
from importlib.metadata import version
from io import StringIO
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from moot import Answer, Budget, InputError, MootError, Transcript, Turn
from moot.contrib.review.panel_findings import JudgedFinding, read_panel
from moot.contrib.review.review_question import ask_for_review
from moot.contrib.server.allowed_names import DebateChoice, parse_name
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.live_debates import ANONYMOUS, LiveDebates
from moot.extend.faults import check_known
from moot.extend.records import (
    Kind,
    hide_paths_of_debate,
    list_dissents,
    list_unread,
    show_transcript,
)
from moot.extend.studies import QuestionPlan, plan_question
from moot.extend.words import on_one_line

INSTRUCTIONS = """\
moot lets several language models debate a question and gives the answer, who dissents, and what \
it cost. Use `ask` for a question with a checkable answer, `council` where an answer should be \
weighed by several models, and `review` for a text or a diff. Every call makes several model \
calls: it takes longer and costs more than one reply. `transcript` shows what each agent said. \
Agents see only what you pass: give them the facts that they need."""
WORDS = 2_000
"""Characters of an answer's words that a tool returns; the transcript has all."""
SAID = 80
"""Characters of a turn in a notification of progress."""
COLUMNS = 100
"""The width of a transcript."""


class Opposition(TypedDict):
    """Who dissents from an answer, and why."""

    agents: list[str]
    why: str
    answer: str | None
    words: str


class DebateCost(TypedDict):
    """What a debate took; None where an endpoint did not report it."""

    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    dollars: float | None
    seconds: float


class ToolAnswer(TypedDict):
    """A debated answer. ``run`` and ``replicate`` are what the tool ``transcript`` takes."""

    answer: str | None
    reached_by: str | None
    words: str
    dissent: list[Opposition]
    unread: list[str]
    failed: str | None
    simulated: bool
    run: str
    replicate: int
    took: DebateCost


class ToolFinding(TypedDict):
    """One finding of a review: who agrees, and what those say who do not."""

    severity: str
    where: str
    what: str
    agree: list[str]
    disagree: dict[str, str]


class ToolReview(TypedDict):
    """A review. What more than half of the reviewers hold is agreed."""

    agreed: list[ToolFinding]
    disputed: list[ToolFinding]
    reviewers: int
    unread: list[str]
    decision: str | None
    failed: str | None
    run: str
    replicate: int
    took: DebateCost


Models = Annotated[
    list[str] | None,
    Field(description="Models for the seats, in turn; the server's model for all if absent."),
]
Settings = Annotated[
    dict[str, Any] | None,
    Field(description="More settings of the protocol, e.g. {'agents': 5, 'rounds': 3}."),
]
MaxCalls = Annotated[int | None, Field(ge=1, description="The most model calls that it may make.")]
MaxCost = Annotated[float | None, Field(gt=0, description="The most it may cost, in US dollars.")]


class StrictTool(Tool):
    """A tool that refuses an unknown argument by name, and says each refusal in words.

    The SDK ignores arguments that a tool does not have: a cap with a slip would be no cap.
    """

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 -- as the SDK calls it
    ) -> Any:  # noqa: ANN401 -- what the tool returns
        """Call the tool. Raises ``ToolError`` where an argument or the debate is refused."""
        try:
            check_known("argument", arguments, self.parameters["properties"], where=self.name)
            return await super().run(arguments, context, convert_result)
        except InputError as error:
            raise ToolError(str(error)) from None
        except ToolError as error:
            if refusal := _describe_refusal(error.__cause__):
                raise ToolError(refusal) from None
            raise


def _describe_refusal(cause: BaseException | None) -> str:
    """Return the words of a refusal; empty where something else went wrong."""
    if isinstance(cause, ValidationError):
        faults = (
            f"{'.'.join(map(str, each['loc']))}: {on_one_line(str(each['input']), 80)}: "
            f"{each['msg']}"
            for each in cause.errors()
        )
        return "; ".join(faults)
    return str(cause) if isinstance(cause, MootError) else ""


class DebateTools:
    """The tools of one server.

    Args:
        debates: gives the debates, once they are open.
    """

    def __init__(self, debates: Callable[[], LiveDebates]) -> None:
        self._debates = debates

    async def ask(
        self,
        ctx: Context,
        question: Annotated[str, Field(description="What is asked, with all that is needed.")],
        choices: Annotated[
            list[str] | None, Field(description="The options of a multiple-choice question.")
        ] = None,
        kind: Annotated[
            Kind | None, Field(description="What the answer is; choice or text if absent.")
        ] = None,
        context: Annotated[
            str | None, Field(description="A passage to read before the question.")
        ] = None,
        protocol: Annotated[
            str, Field(description="How to debate: a protocol.")
        ] = QuestionPlan.PROTOCOL,
        models: Models = None,
        settings: Settings = None,
        max_calls: MaxCalls = None,
        max_cost: MaxCost = None,
    ) -> ToolAnswer:
        """Debate a question among several agents; return the answer and who dissents."""
        return await self._answer(
            ctx,
            models,
            settings,
            Budget(calls=max_calls, cost=max_cost),
            question=question,
            choices=choices or (),
            kind=kind,
            context=context,
            protocol=protocol,
        )

    async def council(
        self,
        ctx: Context,
        question: Annotated[str, Field(description="What is asked, with all that is needed.")],
        context: Annotated[
            str | None, Field(description="A passage to read before the question.")
        ] = None,
        kind: Annotated[
            Kind | None, Field(description="What the answer is; text if absent.")
        ] = None,
        models: Models = None,
        settings: Settings = None,
        max_calls: MaxCalls = None,
        max_cost: MaxCost = None,
    ) -> ToolAnswer:
        """Ask a council: members answer, rank all answers without names, and a chair decides."""
        return await self._answer(
            ctx,
            models,
            settings,
            Budget(calls=max_calls, cost=max_cost),
            question=question,
            context=context,
            kind=kind,
            protocol="council",
        )

    async def review(
        self,
        ctx: Context,
        text: Annotated[str, Field(description="The text, or the diff, to review.")],
        about: Annotated[
            str | None, Field(description="What to review, in a sentence, if not all of it.")
        ] = None,
        decide: Annotated[
            str | None, Field(description="A question of yes or no to decide as well.")
        ] = None,
        models: Models = None,
        settings: Settings = None,
        max_calls: MaxCalls = None,
        max_cost: MaxCost = None,
    ) -> ToolReview:
        """Review a text or a diff; return what reviewers agree on, and what they dispute."""
        if about and decide:
            raise InputError("about and decide: give one of the two; the question is what it says")
        if not text.strip():
            raise InputError("text: it is empty; there is nothing to review")
        budget = Budget(calls=max_calls, cost=max_cost)
        asked = ask_for_review(text, about=about, decide=decide)
        found = await self._debate(ctx, models, settings, budget, **asked)
        panel = read_panel(found.transcript)
        return ToolReview(
            agreed=[_list_finding(each) for each in panel.agreed],
            disputed=[_list_finding(each) for each in panel.disputed],
            reviewers=panel.reviewers,
            unread=[*panel.silent],
            decision=found.answer if decide else None,
            failed=found.failed,
            run=found.run,
            replicate=found.transcript.opened.replicate,
            took=_price(found),
        )

    async def transcript(
        self,
        run: Annotated[str, Field(description="The run that another tool returned.")],
        question: Annotated[
            str | None, Field(description="The question's id, for a run of several.")
        ] = None,
        replicate: Annotated[
            int | None, Field(description="Which debate of the question; all of them if absent.")
        ] = None,
    ) -> str:
        """Show what each agent of a recorded debate said, in order, and who read whom."""
        store = self._debates().lab.store
        await store.flush()  # the debate may just have ended, and wait to be written
        held = store.find_debates(run, question, one_question=True)
        numbers = sorted({each.replicate for each in held})
        if replicate is not None and replicate not in numbers:
            there = ", ".join(map(str, numbers))
            raise InputError(f"replicate {replicate}: run {run} has no such debate, but {there}")
        return "\n".join(
            f"{each.arm} · {each.dataset} · replicate {each.replicate}\n{_render(each.transcript)}"
            for each in held
            if replicate in {None, each.replicate}
        )

    async def _answer(
        self,
        ctx: Context,
        models: list[str] | None,
        settings: dict[str, Any] | None,
        budget: Budget,
        **asked: Any,  # noqa: ANN401 -- what plan_question takes
    ) -> ToolAnswer:
        found = await self._debate(ctx, models, settings, budget, **asked)
        return ToolAnswer(
            answer=found.answer,
            reached_by=found.by,
            words=found.text[:WORDS] + "…" * (len(found.text) > WORDS),
            dissent=[
                Opposition(
                    agents=[*each.agents],
                    why=each.why,
                    answer=each.answer,
                    words=each.words[:WORDS] + "…" * (len(each.words) > WORDS),
                )
                for each in found.dissents
            ],
            unread=[each.why for each in found.unread],
            failed=found.failed,
            simulated=found.simulated,
            run=found.run,
            replicate=found.transcript.opened.replicate,
            took=_price(found),
        )

    async def _debate(
        self,
        ctx: Context,
        models: list[str] | None,
        settings: dict[str, Any] | None,
        budget: Budget,
        **asked: Any,  # noqa: ANN401 -- what plan_question takes
    ) -> Answer:
        """Hold a debate as long as the client waits for it; tell it of each turn.

        Raises:
            MootError: the debate cannot be held or ended; the message says why.
        """
        debates = self._debates()
        given: dict[str, Any] = {**(settings or {}), **({"models": models} if models else {})}
        chosen = _choose(debates.config, asked.pop("protocol"), given)
        asked |= {"settings": chosen.settings, "prompts": chosen.prompts}
        plan = plan_question(protocol=chosen.protocol, **asked)
        live = await debates.start(plan, budget=budget, client=_name_client(ctx))
        most = plan.protocol.count(plan.settings)[1]
        said = 0
        async with aclosing(live.events()) as events:
            async for event in events:
                if isinstance(event, Turn):
                    said += 1
                    await ctx.report_progress(said, max(most, said), _describe(event))
        transcript = await live.transcript()
        return Answer(
            transcript=transcript,
            run=live.run,
            dissents=list_dissents(transcript),
            unread=list_unread(transcript),
        )


def _choose(config: ServerConfig, protocol: str, given: dict[str, Any]) -> DebateChoice:
    """Return the debate of a protocol, or of a preset of the owner's, if the owner allows it."""
    if "model" in given:
        raise InputError("settings: model: name the models in 'models', in a list")
    if protocol in config.presets:
        return parse_name(config, protocol, given)
    check_known("protocol", [protocol], [*config.presets, *config.protocols])
    model = next(iter(given.get("models", ())), None) or _usual_model(config)
    return parse_name(config, f"{protocol}:{model}", given)


def _usual_model(config: ServerConfig) -> str:
    """Return the first model that the owner allows by its name. Raises ``InputError``."""
    named = next((each for each in config.models if not each.endswith("*")), None)
    if named is None:
        raise InputError("models: this server has no model of its own; name some, in a list")
    return named


def _name_client(ctx: Context) -> str:
    """Return the client that the guard has recognised; over standard input there is one alone."""
    request = ctx.request_context.request
    return getattr(request.state, "client", ANONYMOUS) if request is not None else ANONYMOUS


def _describe(turn: Turn) -> str:
    said = turn.answer or on_one_line(turn.text, SAID) or "(no words)"
    return f"{turn.agent}, round {turn.round}: {on_one_line(said, SAID)}"


def _list_finding(each: JudgedFinding) -> ToolFinding:
    return ToolFinding(
        severity=each.severity,
        where=each.where,
        what=each.what,
        agree=[*each.agree],
        disagree={name: each.objections.get(name, "") for name in each.disagree},
    )


def _price(found: Answer) -> DebateCost:
    return DebateCost(
        calls=found.calls,
        prompt_tokens=found.usage.prompt_tokens,
        completion_tokens=found.usage.completion_tokens,
        dollars=found.cost,
        seconds=round(found.seconds, 1),
    )


def _render(transcript: Transcript) -> str:
    from rich.console import Console

    out = StringIO()
    Console(file=out, width=COLUMNS, highlight=False).print(
        show_transcript(hide_paths_of_debate(transcript))
    )
    return out.getvalue()


def make_mcp_server(debates: Callable[[], LiveDebates]) -> MCPServer:
    """Return an MCP server with the tools.

    Args:
        debates: gives the debates, once they are open.
    """
    tools = DebateTools(debates)
    paid = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
    made = [
        *(_make_tool(each, paid) for each in (tools.ask, tools.council, tools.review)),
        _make_tool(tools.transcript, ToolAnnotations(read_only_hint=True)),
    ]
    return MCPServer(
        "moot",
        title="moot",
        version=version("moot"),
        instructions=INSTRUCTIONS,
        log_level="ERROR",
        tools=made,
    )


def _make_tool(function: Callable[..., Any], annotations: ToolAnnotations) -> Tool:
    """Return a function as a tool; its schema says that it takes no other argument."""
    tool = StrictTool.from_function(function, annotations=annotations)
    tool.parameters["additionalProperties"] = False
    return tool
