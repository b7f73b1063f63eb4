"""A private Postgres and Redis, the web server and the worker, all children of one supervisor.

Nothing here knows Django: these modules run before settings can be read, because they decide which
database and broker the settings will name.
"""
