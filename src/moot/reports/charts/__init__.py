"""The figures of one or more runs, each defined once: for a page, for print, and as data."""

from moot.reports.charts.chart import Chart, charts
from moot.reports.charts.files import FORMATS, write
from moot.reports.charts.page import fragment, script

__all__ = ["FORMATS", "Chart", "charts", "fragment", "script", "write"]
