"""The routes of all pages."""

from starlette.routing import Route

from moot.server.pages import ask, compare, debate, live, runs, statics

ROUTES: list[Route] = [
    *statics.ROUTES,
    *ask.ROUTES,
    *live.ROUTES,
    *debate.ROUTES,
    *runs.ROUTES,
    *compare.ROUTES,
]
