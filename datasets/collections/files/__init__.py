"""Files of documents, read as BSON."""
