"""The exit codes of every command."""

EXIT_DONE, EXIT_INTERNAL, EXIT_INPUT, EXIT_PARTIAL = 0, 1, 2, 3
#: What was asked to hold does not: a gate, or that nothing secret is published.
EXIT_GATE = 10
EXIT_INTERRUPTED = 130
