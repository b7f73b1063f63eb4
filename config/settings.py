"""Settings, read from the environment; a missing or malformed value stops the program and names itself."""

import os
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import environ
from celery.schedules import schedule

from campaigns.api.framework.words import DESCRIPTION, TAGS
from config.environment import (
    boolean,
    email_settings,
    hosts_and_networks,
    log_level,
    number,
    one_of,
    openid_provider,
    origins,
    rate,
    time_zone,
    whole,
)
from config.logs import log_settings
from config.metrics_folder import metrics_folder
from config.web.static_files import mark

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / ".embedded")))
# Known to everyone: the web server refuses to start with it (config/asgi.py).
UNSAFE_SECRET_KEY = "only for commands without a web server"  # noqa: S105
SECRET_KEY = env.str("SECRET_KEY", default=UNSAFE_SECRET_KEY)
# Former ones: what they signed and sealed stays valid.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
# Of it the key is made that signs bundles; without it, of SECRET_KEY.
BUNDLE_KEY = env.str("BUNDLE_KEY", default="")
DEBUG = boolean("DEBUG", False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS = boolean("HTTPS", False)

# Sites whose scripts may use the API from a browser, by tokens only.
CORS_ALLOWED_ORIGINS = origins("CORS_ALLOWED_ORIGINS")
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_CREDENTIALS = False
CORS_ALLOW_HEADERS = ("accept", "authorization", "content-type", "if-none-match", "last-event-id")
CORS_EXPOSE_HEADERS = ("content-disposition", "etag", "retry-after", "topic-closed", "www-authenticate")

INSTALLED_APPS = [
    # The first, because Django runs the first app's createsuperuser, and this one checks names.
    "campaigns",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.forms",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    # Always there, whatever is switched on: else their rows would keep accounts from being deleted. The first
    # only because the others import its models.
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "assess",
]

MIDDLEWARE = [
    # Both need nothing but the request, so they also stand before the probes.
    "django.middleware.security.SecurityMiddleware",
    "config.web.middleware.ContentSecurityPolicyMiddleware",
    "config.monitoring.MonitoringMiddleware",
    "config.web.static_files.StaticFiles",
    "config.web.middleware.CompressionMiddleware",
    "config.web.middleware.NoStoreMiddleware",
    "config.web.middleware.RequestTextMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "config.web.refusals.SlashMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "campaigns.people.sessions.SeenMiddleware",
    "campaigns.core.actors.ActingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Only makes the request known to django-allauth.
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.web.refusals.UnreadBodyMiddleware",
    "campaigns.pages.accounts.account.AccountGate",
    "config.web.refusals.MethodNotAllowedMiddleware",
]

if CORS_ALLOWED_ORIGINS:
    # Before all that may answer scripts; without origins no answer has a word of it.
    MIDDLEWARE.insert(1, "corsheaders.middleware.CorsMiddleware")

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

# Rows of forms are drawn by templates/django/forms/field.html.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["config.templates.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # They read what stands above templatetags: the log, exclusions, the handbook, predictions.
            "libraries": {
                "rail": "campaigns.pages.rail",
                "quality": "campaigns.pages.quality.quality",
                "help": "campaigns.pages.help.links",
                "setup": "campaigns.pages.setup.addresses",
                "sentences": "campaigns.pages.sentences.tags",
            },
        },
    },
]

# The web threads live as long as the process (config/asgi.py), so a kept connection is used again.
DATABASES = {"default": env.db_url("DATABASE_URL", default="postgres:///assess")}
DATABASES["default"]["CONN_MAX_AGE"] = whole("CONN_MAX_AGE", 600)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# A server that vanishes from the network is noticed within seconds on connecting, and within half a minute
# amid a statement.
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
    **DATABASES["default"].get("OPTIONS", {}),
}
# Off where a pooler hands the same connection to several, transaction by transaction.
PREPARED_STATEMENTS = boolean("PREPARED_STATEMENTS", True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 8},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "campaigns.people.site_words.SiteWordsValidator"},
]
# Of links that replace a forgotten password.
PASSWORD_RESET_TIMEOUT = 24 * 3600
# Whether people may protect their account by codes of an authenticator app, and whether they have to.
_second_factor = one_of("SECOND_FACTOR", "false", ["false", "true", "required"])
SECOND_FACTOR = _second_factor != "false"
SECOND_FACTOR_REQUIRED = _second_factor == "required"
MFA_ADAPTER = "campaigns.people.second_factors.SealedAdapter"
# A code is also valid 30 seconds earlier and later: clocks differ, and typing takes time.
MFA_TOTP_TOLERANCE = 1
# The identity provider by which people may sign in, if there is one.
OPENID = openid_provider()
SOCIALACCOUNT_ADAPTER = "campaigns.pages.accounts.openid.AccountAdapter"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
# Browsers take a cookie of such a name only over TLS, for this host and all its paths: no other host sets it.
COOKIE_PREFIX = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid", f"{COOKIE_PREFIX}csrftoken"
MESSAGE_STORAGE = "config.web.message_cookie.MessageStorage"
# From sign-in; use does not extend it.
SESSION_COOKIE_AGE = 14 * 24 * 3600
# After so many minutes without a request a session ends; 0: never.
SESSION_IDLE_MINUTES = whole("SESSION_IDLE_MINUTES", 0)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# The proxy redirects to TLS, and whether a domain is preloaded is for its owner to choose. The
# library `i18n` of tags holds Django's of that name.
SILENCED_SYSTEM_CHECKS = ["security.W008", "security.W021", "templates.W003"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en"
# Each under its own name; a page's language is the one chosen below it, else the one the browser asks for.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}django_language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_HTTPONLY = True
TIME_ZONE = time_zone("TIME_ZONE", "UTC")
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = env.str("STATIC_ROOT", default="") or None
# Sphinx brings the Snowball stemmers as scripts; nothing else of it is loaded.
_STEMMERS = Path(str(cast(ModuleSpec, find_spec("sphinx")).origin)).parent / "search" / "minified-js"
STATICFILES_DIRS = [BASE_DIR / "static", ("stemmers", str(_STEMMERS))]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.web.static_files.VersionedFiles"},
}
# Files are found where they lie, so that no collecting step stands between an edit and the page.
WHITENOISE_USE_FINDERS = boolean("WHITENOISE_USE_FINDERS", True)
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ADD_HEADERS_FUNCTION = mark
# The typeface has its version in its name.
WHITENOISE_IMMUTABLE_FILE_TEST = r"\.woff2$"

# Where links in emails lead, and where emails go: to the sending process's log by default.
SITE_URL = env.str("SITE_URL", default="http://localhost:8000").rstrip("/")
vars().update(email_settings("EMAIL_URL", "consolemail://"))
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default="assess@localhost")
EMAIL_TIMEOUT = 10

MEGABYTE = 1024 * 1024
FILE_UPLOAD_TEMP_DIR = env.str("FILE_UPLOAD_TEMP_DIR", default=None)
FILE_UPLOAD_MAX_MEMORY_SIZE = MEGABYTE
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * MEGABYTE
# The Lab takes all runs of a collection at once.
DATA_UPLOAD_MAX_NUMBER_FILES = 1000
# A client that sends nothing for so long, in the middle of a request, is no longer waited for.
SLOW_CLIENT_SECONDS = number("SLOW_CLIENT_SECONDS", 20.0)
# What one upload may hold once unpacked: the guard against decompression bombs.
MAX_UNPACKED_BYTES = whole("MAX_UNPACKED_MEGABYTES", 8192) * MEGABYTE

# Whether data sets that ir_datasets knows are fetched from where they are published; and modules that make
# others known to it.
IR_DATASETS_DOWNLOAD = boolean("IR_DATASETS_DOWNLOAD", False)
IR_DATASETS_MODULES = env.list("IR_DATASETS_MODULES", default=[])

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "campaigns.api.framework.authentication.ApiTokenAuthentication",
        "campaigns.api.framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "campaigns.api.framework.scopes.ScopePermission",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["campaigns.api.framework.authentication.Throttle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["campaigns.api.framework.http.BoundedJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "campaigns.api.framework.http.FixedFormatNegotiation",
    "DEFAULT_METADATA_CLASS": "campaigns.api.framework.http.MethodMetadata",
    "DEFAULT_SCHEMA_CLASS": "campaigns.api.framework.openapi.ApiSchema",
    "EXCEPTION_HANDLER": "campaigns.api.framework.problems.problem_response",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Relevance assessment campaigns",
    "DESCRIPTION": DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "TAGS": TAGS,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "PREPROCESSING_HOOKS": ["campaigns.api.description.with_events"],
    "POSTPROCESSING_HOOKS": ["campaigns.api.description.without_marks"],
    "PATH_CONVERTER_OVERRIDES": {"topic": {"type": "string"}},
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    # Links to one address; the shapes folded; how long an answer took.
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": True,
        "defaultModelsExpandDepth": 0,
        "displayRequestDuration": True,
    },
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# How often one token may use the API, one account by its session, and one address without either.
THROTTLE_TOKEN = rate("THROTTLE_TOKEN", "1000/10s")
THROTTLE_SESSION = rate("THROTTLE_SESSION", "3000/10s")
THROTTLE_ANONYMOUS = rate("THROTTLE_ANONYMOUS", "300/10s")
# How many proxies of ours a request passes, each of which adds to X-Forwarded-For whom it got it from.
TRUSTED_PROXIES = whole("TRUSTED_PROXIES", 0)

# The bearer token that may read /metrics. Without one there are no metrics.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
if METRICS_TOKEN:
    # The library reads its folder's name from there, when it is first imported.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_folder(DATA_DIR))

# How long an assessor keeps a document to themself without the page renewing it.
CLAIM_MINUTES = whole("CLAIM_MINUTES", 20)
# A worker that has not been heard of for so long is shown as down.
WORKER_SILENCE_SECONDS = number("WORKER_SILENCE_SECONDS", 12.0)

# Whether webhooks may lead into the site's own network, and be called without TLS.
WEBHOOK_ALLOW_PRIVATE = boolean("WEBHOOK_ALLOW_PRIVATE", False)
# After so many days on which nothing arrived a webhook is switched off; 0: never.
WEBHOOK_OFF_AFTER_DAYS = whole("WEBHOOK_OFF_AFTER_DAYS", 3)

# Hosts and networks at which search engines may be asked although they are not on the public internet, and
# without TLS: names, `.example.org` for all below it, or networks such as 10.0.0.0/8.
ENGINE_ALLOWED_HOSTS = hosts_and_networks("ENGINE_ALLOWED_HOSTS")

# Celery has a name of its own for a Redis on a Unix socket.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "campaigns"
# The pulse has a queue of its own: a worker with much to do is busy, not silent. So have deliveries and
# emails: neither do they wait behind recomputes, nor these behind them. Nor do recomputes wait behind the
# Lab's trials, of which there may be thousands. What looks for campaigns without a message does not wait
# behind messages, either.
CELERY_TASK_QUEUES = {name: {"routing_key": name} for name in ("campaigns", "lab", "pulse", "webhooks")}
CELERY_TASK_ROUTES = {
    "campaigns.catch_up": {"queue": "pulse"},
    "campaigns.heartbeat": {"queue": "pulse"},
    "campaigns.lab_start": {"queue": "lab"},
    "campaigns.lab_work": {"queue": "lab"},
    "campaigns.post_where_due": {"queue": "webhooks"},
    "campaigns.send_emails": {"queue": "webhooks"},
}
# Seconds after which a task is broken off, and after which its process is ended: of tasks that look for
# work or send something, of those that compute, and of the loading of a dataset.
CELERY_TASK_SOFT_TIME_LIMIT, CELERY_TASK_TIME_LIMIT = 300, 330
COMPUTING_LIMITS = {"soft_time_limit": 2 * 3600, "time_limit": 2 * 3600 + 300}
CELERY_TASK_ANNOTATIONS = {
    **{
        f"campaigns.{name}": COMPUTING_LIMITS
        for name in (
            *("recompute", "advise", "predict", "learn_from", "measure", "order_topics", "plan", "count"),
            "replay_counterfactual",
            "tell_flags",
            *("lab_start", "lab_work"),
            "pull",
        )
    },
    "campaigns.load": {"soft_time_limit": 24 * 3600, "time_limit": 24 * 3600 + 300},
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A message stays in its queue until a process is free: processes see there whether others wait for them, and
# a worker that is killed takes none with it.
CELERY_WORKER_PREFETCH_MULTIPLIER, CELERY_WORKER_DISABLE_PREFETCH = 1, True
# A worker's database connection outlasts its tasks (config/celery.py): a new one costs Postgres more than
# many a task.
CELERY_DB_REUSE_MAX = 2**31
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A judgment is committed before its task is sent: a dead broker must cost the assessor nothing.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 5,
    "socket_keepalive": True,
    "retry_on_timeout": False,
}
CELERY_BEAT_SCHEDULER = "config.beat:SteadyScheduler"
CELERY_BEAT_SCHEDULE = {
    # Both also prove the whole path: beat, broker, worker, database.
    "heartbeat": {"task": "campaigns.heartbeat", "schedule": schedule(3.0), "options": {"expires": 3}},
    "catch-up": {"task": "campaigns.catch_up", "schedule": schedule(5.0), "options": {"expires": 5}},
    "advise": {"task": "campaigns.advise_where_due", "schedule": schedule(15.0), "options": {"expires": 15}},
    "predict": {"task": "campaigns.predict_where_due", "schedule": schedule(5.0), "options": {"expires": 5}},
    "measure": {"task": "campaigns.measure_where_due", "schedule": schedule(3.0), "options": {"expires": 3}},
    "order-topics": {
        "task": "campaigns.order_topics_where_due",
        "schedule": schedule(5.0),
        "options": {"expires": 5},
    },
    "count": {"task": "campaigns.count_where_due", "schedule": schedule(15.0), "options": {"expires": 15}},
    "plan": {"task": "campaigns.plan_where_due", "schedule": schedule(15.0), "options": {"expires": 15}},
    "index": {"task": "campaigns.index_where_due", "schedule": schedule(15.0), "options": {"expires": 15}},
    "compare": {
        "task": "campaigns.compare_where_due",
        "schedule": schedule(15.0),
        "options": {"expires": 15},
    },
    "load": {"task": "campaigns.load_where_due", "schedule": schedule(15.0), "options": {"expires": 15}},
    "pulls": {"task": "campaigns.pull_where_due", "schedule": schedule(15.0), "options": {"expires": 15}},
    "lab": {"task": "campaigns.lab_where_due", "schedule": schedule(5.0), "options": {"expires": 5}},
    "webhooks": {"task": "campaigns.post_where_due", "schedule": schedule(5.0), "options": {"expires": 5}},
    "emails": {"task": "campaigns.send_emails", "schedule": schedule(15.0), "options": {"expires": 15}},
    "flags": {"task": "campaigns.tell_flags", "schedule": schedule(60.0), "options": {"expires": 60}},
    "reminders": {
        "task": "campaigns.remind_where_due",
        "schedule": schedule(600.0),
        "options": {"expires": 600},
    },
    "progress": {
        "task": "campaigns.tell_progress",
        "schedule": schedule(600.0),
        "options": {"expires": 600},
    },
    "reset-links": {
        "task": "campaigns.send_reset_links",
        "schedule": schedule(15.0),
        "options": {"expires": 15},
    },
    "prune-accounts": {
        "task": "campaigns.prune_accounts",
        "schedule": schedule(300.0),
        "options": {"expires": 300},
    },
    "prune": {"task": "campaigns.prune_events", "schedule": schedule(300.0), "options": {"expires": 300}},
}

LOGGING = log_settings("LOG_FORMAT", log_level("LOG_LEVEL", "WARNING"))
