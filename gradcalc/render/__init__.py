"""An answer in, text out: one module a format, all over the same `Answer`."""
