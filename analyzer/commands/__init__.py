"""Turn what is asked for on the command line into runs, game files, and what is said of them."""
