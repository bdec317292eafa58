"""Results as JSON in; the page of figures and its pictures out. The standard library alone, so that anyone can redraw."""
