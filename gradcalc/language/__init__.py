"""Text to syntax tree to graph, and graph to text."""
