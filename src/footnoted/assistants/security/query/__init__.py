"""Questions on findings as typed queries: what may be asked, who fills it in, and how it is run and told."""
