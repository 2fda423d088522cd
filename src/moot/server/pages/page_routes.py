"""The routes of all pages."""

from starlette.routing import Route

from moot.server.pages import ask_page, compare_page, debate_page, debate_stream, run_pages, statics

ROUTES: list[Route] = [
    *statics.ROUTES,
    *ask_page.ROUTES,
    *debate_stream.ROUTES,
    *debate_page.ROUTES,
    *run_pages.ROUTES,
    *compare_page.ROUTES,
]
