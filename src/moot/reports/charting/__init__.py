"""The figures of one or more runs, each defined once: for a page, for print, and as data."""

from moot.reports.charting.chart import Chart, chart_kind, draw_charts
from moot.reports.charting.chart_files import FORMATS, write_chart
from moot.reports.charting.chart_page import fragment, script

__all__ = ["FORMATS", "Chart", "chart_kind", "draw_charts", "fragment", "script", "write_chart"]
