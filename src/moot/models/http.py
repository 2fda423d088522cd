"""Models behind HTTP: chat completions of known providers and at any address."""

import logging
import time
from asyncio import AbstractEventLoop, Lock, get_running_loop
from fnmatch import fnmatchcase
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec

from moot.core.calls import Call, Effort, Reply
from moot.core.errors import (
    AccessError,
    InputError,
    ModelError,
    NotFoundError,
    RefusedError,
    TransientError,
    UnknownName,
)
from moot.core.ports import Limits, Rates, TellWords
from moot.models import chat_format, refusals
from moot.models.batch_client import BatchClient
from moot.models.body import TransportError
from moot.models.chat_stream import STREAMED, CompletionStream, assemble_unasked
from moot.models.effort import PARAMETERS, add_effort, effort_parameters
from moot.models.endpoint import Endpoint, EndpointSettings, endpoint_of, parse_settings
from moot.models.endpoint_address import check_connection, proxy_for, split_address
from moot.models.extra import Extra
from moot.models.headers import REQUESTS, TOKENS, find_rate
from moot.models.model_names import ModelFactory, ModelName, model_registry
from moot.models.plain_http import PlainTransport, open_transport
from moot.models.prices import Pricer, find_price
from moot.models.providers import AT_ADDRESS, PROVIDERS, Provider, key_header, key_variable
from moot.models.transport import AiohttpTransport, Response

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

_LEARN = 1.0
"""Seconds between readings of the rate-limit headers: that costs more than the rest of a reply."""

_log = logging.getLogger(__name__)


class HttpModel:
    """A model behind an endpoint that speaks the chat-completions format.

    Args:
        where: the endpoint, and the model's names there and in calls.
        settings: the options of the model's name.
        price: the price; else that of the price package, for the providers that it knows.
        form: the kind of request; chat completions by default.
        extra: headers and parameters of the user's, sent with every request.

    Attributes:
        key: the environment variable of the endpoint's key.
        key_variable: the same; None where a header of the user replaces that key.
        needs_key: whether no call can be made without a key.
    """

    simulated = False
    takes_tools = True

    def __init__(
        self,
        where: Endpoint,
        settings: EndpointSettings = EndpointSettings(),  # noqa: B008 - frozen
        *,
        price: Pricer | None = None,
        form: chat_format.WireFormat | None = None,
        extra: Extra = Extra(),  # noqa: B008 - frozen
    ) -> None:
        provider, self.address, self.model, name = where
        self.provider = provider
        self.settings, self.price, self.extra = settings, price, extra
        self.takes_images = settings.images == "on" or (
            settings.images is None
            and any(fnmatchcase(self.model, each) for each in provider.images)
        )
        chat = chat_format.CHAT_THOUGHT_BESIDE if provider.thought_beside else chat_format.CHAT
        self.form = form or chat
        self._base, _, self._query = self.address.base.partition("?")
        self.key = key_variable(settings.key, provider, self._base)
        self.needs_key = provider.key is not None or settings.key is not None
        extra.check(provider, self._base)
        own = {header.lower() for header in extra.headers}
        self.key_variable = None if provider.header.lower() in own else self.key
        self.name = name + extra.mark
        self._seed = provider.seed if settings.seed == "on" else None
        if self._seed is None:
            self.name += "?seed=off"
        self.endpoint = f"{self._base} ({self.key})"
        self.limits = Limits(
            concurrency=settings.concurrency,
            requests_per_minute=settings.rpm,
            tokens_per_minute=settings.tpm,
            context=settings.context,
            files=1,
        )
        self.changes: dict[str, str | None] = {}
        """Parameters that the endpoint refuses, with the name that it takes instead, or None."""
        self._access = refusals.Access()
        self._doubt = Lock()
        """Held by the one call that tests whether the endpoint refuses the others, too."""
        self._transport: PlainTransport | AiohttpTransport | None = None
        self._loop: AbstractEventLoop | None = None
        self._listed: list[str] | None = None
        """The endpoint's models; None before it was asked for them."""
        self._learnt = -inf
        self._priced = price is not None or provider.prices is None

    @property
    def variables(self) -> set[str]:
        """The environment variables that may hold its key, its headers and its address."""
        key = set[str]() if self.key is None else {self.key}
        return key | self.extra.variables | set(self.provider.variables)

    def cost(self, reply: Reply) -> float | None:
        """Return the cost of a reply in US dollars; None where price or tokens are unknown."""
        if self.price is None and not self._priced:
            self._priced = True
            self.price = find_price(self.provider.prices or "", self.model)
        return self.price(reply) if self.price is not None else None

    async def check(self) -> None:
        """Check key and address. No request is sent, so nothing is paid.

        Raises:
            InputError: no call can succeed: the key is missing, or no server is at the address.
        """
        try:
            self._authorization()
        except AccessError as error:
            raise InputError(str(error)) from None
        await check_connection(self._base, name=self.name, proxy=proxy_for(self._base))

    async def close(self) -> None:
        """Close all connections. A later call opens new ones and reads the key again."""
        transport, self._transport, self._access = self._transport, None, refusals.Access()
        if transport is not None:
            await transport.close()

    def reply(self, call: Call, tell: TellWords | None = None) -> "Coroutine[Any, Any, Reply]":
        """Answer once, without retrying what failed.

        A request that the endpoint refuses because of a parameter it does not take is sent again
        without it: such a refusal is free, and is remembered.

        Args:
            call: the call.
            tell: is called with the words as they come, where the endpoint can stream them.

        Raises:
            TransientError: 408, 409, 425, 429, 5xx, a timeout, a dropped connection, a body that is
                cut off or holds no reply.
            AccessError: 401, 402, 403, or no key; every later call then fails at once, see
                ``refusals.Access``.
            ContextTooLong: the prompt does not fit.
            RefusedError: any other refusal.
        """
        if self._transport is None or self._loop is not get_running_loop():
            self._access.begin()
            self._open()
        return self._ask_in_doubt(call, tell) if self._access.doubtful else self._ask(call, tell)

    def stream(self, call: Call, tell: TellWords) -> "Coroutine[Any, Any, Reply]":
        """Answer once as ``reply`` does, and tell the words as they come."""
        return self.reply(call, tell)

    async def _ask_in_doubt(self, call: Call, tell: TellWords | None) -> Reply:
        """Return the reply to a call that is sent alone, while the newest answer is a refusal."""
        async with self._doubt:
            if self._access.doubtful:
                return await self._ask(call, tell)
        return await self._ask(call, tell)

    async def _ask(self, call: Call, tell: TellWords | None) -> Reply:
        """Return the reply to a call; it is sent again without parameters the endpoint refuses."""
        begun = self._access.begin()
        transport = self._transport or self._open()  # it may be closed since ``reply``
        changes: Mapping[str, str | None] = self.changes
        while True:
            sent = self._request(call, changes)
            stream = None if tell is None or "stream" in changes else CompletionStream(tell)
            if stream is not None:
                asked = {name: STREAMED[name] for name in STREAMED if name not in changes}
                sent |= asked | self.extra.body
            started = time.perf_counter()
            try:
                feed = None if stream is None else stream.feed
                status, headers, body = await transport.post(chat_format.encode(sent), feed)
            except TransportError as error:
                failure = [error.make_model_error(self.name)]
                break
            if 200 <= status < 300:
                if stream is not None:
                    body = stream.assemble(body)
                if started - self._learnt > _LEARN:
                    self._learnt = started
                    self._learn(headers)
                reply = self._read(body, headers, time.perf_counter() - started, begun)
                self._access.succeed()
                if changes is not self.changes:
                    self._remember(changes)
                return reply
            try:
                changes = self._change(call, sent, changes, (status, headers, body), begun)
            except NotFoundError as error:
                await self._name_models(error)
                raise
        # Raised here and not above, so that it carries no other error, which may hold the key; and
        # out of a list: an error that this frame has would be held by its own traceback.
        raise failure.pop()

    def _change(
        self,
        call: Call,
        sent: dict[str, Any],
        changes: "Mapping[str, str | None]",
        response: Response,
        begun: int,
    ) -> "Mapping[str, str | None]":
        """Return the changes to a refused request with which it is sent again.

        Raises:
            ModelError: the refusal, where no change helps.
        """
        status, headers, body = response
        self._learn(headers)
        refusal = refusals.parse_refusal(status, body)
        refused = refusals.find_refused_parameter(refusal, sent)
        if refused is None or not self._may_change(refused):
            raise self._failure(refusal, headers, begun)
        if refused in PARAMETERS and call.sampling.effort is not None:
            raise self._without_effort(refusal, call.sampling.effort)
        if refused == "logprobs":
            raise RefusedError(
                f"{self.name}: {status}: the endpoint gives no probabilities of tokens: choose "
                "another source than confidence = 'logprobs', rated_by = 'draws' or no letter",
                status=status,
            )
        return {**changes, refused: chat_format.RENAMED.get(refused)}

    async def _name_models(self, error: NotFoundError) -> None:
        """Add to a refusal what the endpoint's models are, where it lists them; asked once."""
        if self._listed is None:
            async with self.open_batches() as client:
                self._listed = await client.list_models()
        if self._listed and self.model not in self._listed:
            advice = UnknownName("model of this endpoint", self.model, self._listed)
            words = refusals.quote(str(advice), self._secrets())
            error.args = (f"{error}: {words}", *error.args[1:])

    @property
    def batch_url(self) -> str:
        """The path of a request in a line of a batch."""
        return f"/v1{self.form.path}"

    @property
    def batch_share(self) -> float | None:
        """The share of the price that a call in a batch costs; None where it is unknown."""
        return self.provider.batches.share

    @property
    def answers_directly(self) -> bool:
        """Whether calls that go by themselves are answered, too."""
        return self.provider.batches.first

    @property
    def takes_batches(self) -> bool | None:
        """Whether the endpoint has the files and batches API; None where it has to be asked."""
        terms = self.provider.batches
        return terms.api if self.provider.is_at(self._base) else None

    def learn_changes(self, changes: "Mapping[str, str | None]") -> None:
        """Send parameters by other names from now on, or not at all, as ``changes`` says."""
        self._remember(changes)

    def open_batches(self) -> BatchClient:
        """Return a client of the endpoint's batches API. Raises ``AccessError`` without a key."""
        return BatchClient(
            self.name,
            self._base,
            {"User-Agent": "moot", **self._authorization()},
            variable=self.key,
            proxy=proxy_for(self._base),
        )

    def batch_body(self, call: Call) -> bytes:
        """Return the JSON object of a request in a batch, without parameters known as refused."""
        return chat_format.encode(self._request(call, self.changes))

    def read_batch(self, call: Call, status: int, body: bytes) -> Reply:
        """Return the reply in a response of a batch.

        Raises:
            TransientError: the call may be sent again, if need be without a refused parameter.
            ModelError: it will get no reply; as of ``reply``.
        """
        begun = self._access.begin()
        if 200 <= status < 300:
            return self._read(body, {}, 0.0, begun)
        refusal = refusals.parse_refusal(status, body)
        sent = self._request(call, {})
        refused = refusals.find_refused_parameter(refusal, sent)
        if refused is None or not self._may_change(refused) or refused in PARAMETERS:
            raise self._failure(refusal, {}, begun)
        self._remember({refused: chat_format.RENAMED.get(refused)})
        raise TransientError(f"{self.name}: {status}: {refused} was refused", status=status)

    def _request(self, call: Call, changes: "Mapping[str, str | None]") -> dict[str, Any]:
        """Return the request's JSON object."""
        sent = self.form.fields(self.model, call, seed=self._seed, changes=changes)
        if self.extra.body:
            sent |= self.extra.body
        effort = call.sampling.effort
        if effort is not None:
            add_effort(sent, effort_parameters(self.provider.effort, effort, self.name))
        return sent

    def _may_change(self, parameter: str) -> bool:
        """Return whether a refused parameter may be left out or sent under another name.

        A parameter that is refused under both names stays: without it the cap on tokens would be
        gone. A parameter that the user added to the request stays, too.
        """
        return parameter not in chat_format.RENAMED.values() and parameter not in self.extra.body

    def _remember(self, changes: "Mapping[str, str | None]") -> None:
        for name, instead in changes.items():
            if name not in self.changes:
                how = f"sent as {instead}" if instead else "left out"
                _log.warning("%s does not take %s: %s from now on", self.name, name, how)
        self.changes = {**self.changes, **changes}

    def _failure(
        self, refusal: refusals.EndpointRefusal, headers: "Mapping[str, str]", begun: int
    ) -> ModelError:
        if 300 <= refusal.status < 400:
            return RefusedError(
                f"{self.name}: {refusal.status}: the endpoint redirects elsewhere, where moot does "
                "not take the key; write the final address",
                status=refusal.status,
            )
        error = refusals.error_of(
            self.name, refusal, headers, self.key, time.time(), *self.extra.secrets()
        )
        if isinstance(error, AccessError | NotFoundError):
            return self._access.refuse(error, begun, page=refusal.page)
        return error

    def _without_effort(self, refusal: refusals.EndpointRefusal, effort: Effort) -> RefusedError:
        words = refusals.quote(refusal.message, self._secrets())
        return RefusedError(
            f"{self.name}: {refusal.status}: the endpoint does not take effort = {effort!r}: "
            f"{words}; give another effort, or none",
            status=refusal.status,
        )

    def _read(self, body: bytes, headers: "Mapping[str, str]", seconds: float, begun: int) -> Reply:
        """Return the reply in a response whose status is a success."""
        try:
            return self.form.read(body, seconds)
        except chat_format.Unreadable as unreadable:
            problem, error = str(unreadable), unreadable.error
        # It may be a stream that was not asked for.
        unasked = assemble_unasked(body) if error is None else None
        if unasked is not None:
            try:
                return self.form.read(unasked, seconds)
            except chat_format.Unreadable as unreadable:
                problem, error = str(unreadable), unreadable.error
        if error is not None:  # so a gateway reports the failure of a server behind it
            status = refusals.find_status(error) or 502
            raise self._failure(refusals.refusal_of(status, error), headers, begun)
        words = refusals.quote(refusals.parse_refusal(200, body).message, self._secrets())
        raise TransientError(f"{self.name}: {problem}{': ' if words else ''}{words}")

    def _learn(self, headers: "Mapping[str, str]") -> None:
        """Take over the rate limits in the headers; they hold beside those that the user states."""
        now = time.time()
        requests, tokens = find_rate(headers, REQUESTS, now), find_rate(headers, TOKENS, now)
        before = self.limits.told or Rates()
        told = Rates(requests=requests or before.requests, tokens=tokens or before.tokens)
        if told != before:
            self.limits = msgspec.structs.replace(self.limits, told=told)

    def _open(self) -> PlainTransport | AiohttpTransport:
        """Read the key and make the transport, in the loop that will use it."""
        self._loop, self._doubt = get_running_loop(), Lock()
        proxy = proxy_for(self._base)
        headers = {"Content-Type": "application/json", "User-Agent": "moot"}
        headers |= self._authorization()
        timeout, path = self.settings.timeout, self.form.path
        path += f"?{self._query}" if self._query else ""
        self._transport = open_transport(self._base, headers, timeout, proxy, path=path)
        return self._transport

    def _secrets(self) -> tuple[str, ...]:
        return refusals.secrets(self.key, *self.extra.secrets())

    def _authorization(self) -> dict[str, str]:
        """Return the headers that carry keys. Raises ``AccessError`` where a key is missing."""
        own = self.extra.resolve_headers(self.name)
        if self.key_variable is None:
            return own
        return own | key_header(self.provider, self.key, self.name, needed=self.needs_key)


def make_model(name: ModelName) -> HttpModel:
    """A model at an address: http(s)://host/v1/NAME."""
    if name.provider == AT_ADDRESS and "base" not in name.options:
        split_address(name.model)  # first of all: no error about an option may repeat a password
    given = parse_settings(name)
    return HttpModel(endpoint_of(name, given), given)


def of_provider(provider: Provider) -> ModelFactory:
    """Return the factory of the models of a known provider."""

    def make(name: ModelName) -> HttpModel:
        return make_model(name)

    key = f"key in {provider.key}" if provider.key else "no key"
    make.__doc__ = f"{provider.name}/NAME at {provider.base}, {key}."
    return make


model_registry.add(AT_ADDRESS, make_model)
for _known in PROVIDERS.values():
    model_registry.add(_known.name, of_provider(_known))
