"""The report's charts: Vega-Lite specifications, each with a caption and the table behind it.

Encodings are given as channels (`x2=alt.X2("high:Q")`), never as bare strings: of each string Altair makes a channel by
hashing every schema it has, which took longer than all the rest of a report's page.
"""
