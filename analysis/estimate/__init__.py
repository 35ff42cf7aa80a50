"""What a collection takes under each setting, estimated from loads of a sample."""
