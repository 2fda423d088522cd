"""The figures of a server at ``/metrics``, and its health at ``/healthz``."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from moot.contrib.server.live_debates import LiveDebates

BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1800)
TEXT = "text/plain; version=0.0.4; charset=utf-8"


class Measures(Collector):
    """The figures of one server, read from its debates whenever they are asked for."""

    def __init__(self, debates: LiveDebates) -> None:
        self._debates = debates
        self._registry = CollectorRegistry()
        self._registry.register(self)
        seconds = Histogram(
            "moot_debate_seconds",
            "How long debates took, by how they ended.",
            ["ended"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        debates.on_end = lambda how, took: seconds.labels(how).observe(took)

    def text(self) -> bytes:
        """Return all figures in Prometheus' format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield every figure but the histogram."""
        lab, debates = self._debates.lab, self._debates
        traffic = lab.path.traffic
        for name, about, counted in (
            ("moot_calls", "Calls that were paid for.", traffic.calls),
            ("moot_calls_replayed", "Replies that came from the ledger.", traffic.replayed),
            ("moot_calls_unpriced", "Calls whose price is unknown.", traffic.unpriced),
            ("moot_call_retries", "Calls that were made again.", traffic.retries),
            ("moot_cost_dollars", "What calls of a known price cost.", traffic.cost),
        ):
            yield CounterMetricFamily(name, about, value=counted)
        tokens = CounterMetricFamily("moot_tokens", "Tokens that were paid for.", labels=["kind"])
        tokens.add_metric(["prompt"], traffic.prompt_tokens)
        tokens.add_metric(["completion"], traffic.completion_tokens)
        yield tokens
        for name, about, current in (
            ("moot_calls_in_flight", "Calls at an endpoint.", traffic.in_flight),
            ("moot_ledger_backlog", "Records not yet written.", lab.store.writer.backlog()),
            ("moot_debates_in_progress", "Debates in progress.", debates.in_progress),
            ("moot_debates_waiting", "Debates in the queue.", debates.waiting),
        ):
            yield GaugeMetricFamily(name, about, value=current)
        ended = CounterMetricFamily("moot_debates", "Debates by how they ended.", labels=["ended"])
        for how in ("done", "failed", "stopped", "refused"):
            ended.add_metric([how], debates.counts[how])
        yield ended


async def metrics(request: Request) -> Response:
    """Return the response with the figures."""
    measures: Measures = request.app.state.measures
    return Response(measures.text(), media_type=TEXT)


async def healthz(request: Request) -> Response:
    """Answer 200 if debates can begin, else 503 with the reason."""
    debates: LiveDebates = request.app.state.debates
    if debates.closing.is_set():
        return JSONResponse({"status": "stopping"}, 503, {"Retry-After": "30"})
    return JSONResponse(
        {"status": "ok", "debates": debates.in_progress, "waiting": debates.waiting}
    )


ROUTES = [Route("/metrics", metrics), Route("/healthz", healthz)]
