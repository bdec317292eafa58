"""Draws the page of figures from results as JSON. The standard library alone, so that anyone can redraw."""
