"""Turn functions into text that changes when what they do may change."""
