"""What every room stands on: files, texts, numbers and histograms."""
