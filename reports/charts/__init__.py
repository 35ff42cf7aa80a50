"""The report's charts: Vega-Lite specifications, each with a caption and the table behind it."""
