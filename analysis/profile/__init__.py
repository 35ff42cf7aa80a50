"""How codecs do on data, as it was measured, and beside an estimate of the same data."""
