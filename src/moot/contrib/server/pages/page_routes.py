"""The routes of all pages."""

from starlette.routing import BaseRoute, Mount

from moot.contrib.server.pages import (
    analysis_page,
    ask_page,
    compare_page,
    debate_files,
    debate_page,
    front_page,
    matrix,
    person_page,
    run_pages,
    runs_page,
    steering_page,
    worth_page,
)
from moot.contrib.server.pages.added_pages import registry as added
from moot.contrib.server.pages.statics import MarkedFiles


def list_routes() -> list[BaseRoute]:
    """Return the routes of all pages, those of other packages included."""
    return [*_OWN, *(route for each in added for route in each.routes)]


_OWN: list[BaseRoute] = [
    Mount("/static", MarkedFiles()),
    *front_page.ROUTES,
    *ask_page.ROUTES,
    *debate_page.ROUTES,
    *debate_files.ROUTES,
    *person_page.ROUTES,
    *steering_page.ROUTES,
    *matrix.ROUTES,
    *runs_page.ROUTES,
    *run_pages.ROUTES,
    *compare_page.ROUTES,
    *analysis_page.ROUTES,
    *worth_page.ROUTES,
]
