"""The files of a report: page, Markdown, tables, figures, and the index of runs."""
