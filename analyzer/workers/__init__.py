"""Turn calls of steps into results: in threads, on an event loop, in processes of this machine or of others."""
