"""The site's own settings, but for passwords hashed once: a real hash takes half a second. What an operator
may switch on is on."""

from config.settings import *  # noqa: F403

PASSWORD_HASHERS = ["tests.plumbing.hashers.OneIterationHasher"]
SECOND_FACTOR = True
