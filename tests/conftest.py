"""Settings that all tests share."""

import os

from hypothesis import settings

# The same examples in every run, so that a change is judged by its own merits; set HYPOTHESIS_PROFILE=search
# to look for new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
