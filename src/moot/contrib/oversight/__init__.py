"""Scalable oversight: advocates who know more, and a judge who decides between them."""
