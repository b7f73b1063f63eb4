"""The site's own settings, and one more address: the bare view that judging is compared with."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.site_urls"
