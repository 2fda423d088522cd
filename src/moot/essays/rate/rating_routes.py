"""The routes of the judging face."""

from starlette.routing import Route

from moot.essays.rate import rating_sheet as sheet
from moot.essays.rate import rating_start as start
from moot.essays.rate.rating_page import PACKAGE
from moot.server.pages import statics

ROUTES: list[Route] = [
    *statics.routes(PACKAGE),
    Route("/", start.first, methods=["GET"]),
    Route("/", start.join, methods=["POST"]),
    Route("/judge/{rater}", start.begin, methods=["GET"]),
    Route("/judge/{rater}/end", start.end, methods=["GET"]),
    Route("/judge/{rater}/{sheet}", sheet.page, methods=["GET"]),
    Route("/judge/{rater}/{sheet}", sheet.submit, methods=["POST"]),
    Route("/judge/{rater}/{sheet}/{number:int}", sheet.essay, methods=["GET"]),
]
