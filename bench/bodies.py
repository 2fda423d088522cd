"""Peak memory of a client whose endpoint sends far too much: a gzip bomb of 2 GB, a body of 1 GB.

    python bench/bodies.py [--ways http,https,proxy] [--bomb 2000] [--body 1000]

Each case is one call in a process of its own, over plain HTTP, https on loopback with a certificate
made for the purpose, and through a proxy that is asked to CONNECT. Told are the peak of the
process, interpreter and imports included, what it was before the call, and how the call ended. The
exit code is 1 where a peak is 3 times the limit or more.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))


from support import raw_server  # noqa: E402 -- of the tests
from support.raw_server import Peer, Raw  # noqa: E402

CLIENT = """
import asyncio, json, sys, time
from resource import RUSAGE_SELF, getrusage
import aiohttp
from moot.core.calls import Call, Draw, Message, Sampling
from moot.core.errors import ModelError
from moot.models.model_names import load

async def ask():
    model = load(sys.argv[1])
    before, began = getrusage(RUSAGE_SELF).ru_maxrss, time.perf_counter()
    call = Call(model="m", messages=(Message("user", "?"),), sampling=Sampling(), draw=Draw())
    try:
        await model.reply(call)
        end = "a reply"
    except ModelError as error:
        end = f"{type(error).__name__}: {error}"
    peak = getrusage(RUSAGE_SELF).ru_maxrss
    await model.close()
    print(json.dumps([before, peak, time.perf_counter() - began, end]))

asyncio.run(ask())
"""
LIMIT = 64 << 20
UNIT = 1 if sys.platform == "darwin" else 1024


def bomb(size: int) -> bytes:
    """So many megabytes of nothing, packed."""
    pack, piece = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16), bytes(1_000_000)
    return b"".join([pack.compress(piece) for _ in range(size)] + [pack.flush()])


async def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ways", default="http,https,proxy")
    parser.add_argument("--bomb", type=int, default=2000, help="megabytes it unpacks to")
    parser.add_argument("--body", type=int, default=1000, help="megabytes")
    given = parser.parse_args()
    packed, piece = bomb(given.bomb), b'{"a": "' + b"x" * 999_993
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n"

    async def send_bomb(peer: Peer) -> None:
        await peer.request()
        await peer.send(head % len(packed) + b"Content-Encoding: gzip\r\n\r\n" + packed)

    async def send_body(peer: Peer) -> None:
        await peer.request()
        await peer.send(head % (given.body * len(piece)) + b"\r\n")
        for _ in range(given.body):
            await peer.send(piece)
            await asyncio.sleep(0)

    async def send_error(peer: Peer) -> None:
        await peer.request()
        await peer.send(
            (head % len(packed)).replace(b"200", b"400") + b"Content-Encoding: gzip\r\n\r\n"
        )
        await peer.send(packed)

    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        certificate = raw_server.certificate(Path(folder))
        for way in given.ways.split(","):
            for name, handler in (("bomb", send_bomb), ("body", send_body), ("error", send_error)):
                peak = await _case(way, name, handler, certificate)
                worst = max(worst, peak)
    print(f"the worst is {worst / LIMIT:.2f} times the limit")
    return int(worst >= 3 * LIMIT)


async def _case(way: str, name: str, handler, certificate: Path) -> int:
    """One call; the peak of its process in bytes."""
    served = None if way == "http" else raw_server.context(certificate)
    async with raw_server.Proxy() as proxy, Raw(handler, tls=served) as server:
        own = {"MOOT_API_KEY": "none", "SSL_CERT_FILE": str(certificate.with_name("public.pem"))}
        if way == "proxy":
            own["HTTPS_PROXY"] = proxy.url
        kept = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        client = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CLIENT, f"{server.base}/m"),
            env=kept | own,
            stdout=asyncio.subprocess.PIPE,
        )
        told, _ = await asyncio.wait_for(client.communicate(), 120)
        assert bool(proxy.asked) == (way == "proxy")
    before, peak, seconds, end = json.loads(told)
    print(
        f"{way:5} {name:5}: peak {peak * UNIT / 1e6:6.0f} MB, {before * UNIT / 1e6:.0f} MB before, "
        f"{seconds:.2f} s: {end[:110]}",
        flush=True,
    )
    return int(peak * UNIT)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
