"""The command line: read, call, render, exit."""
