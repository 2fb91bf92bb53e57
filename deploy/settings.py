"""Django settings. Everything that differs between installations comes from the environment."""

import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from deploy import environment, logs, storage

BASE_DIR = Path(__file__).resolve().parent.parent


try:
    ENV = environment.read_all()
except environment.WrongValues as error:
    raise ImproperlyConfigured(str(error)) from None


def database(url: str) -> dict[str, Any]:
    """Django's settings for `postgresql://user:password@host:port/name?host=/socket/folder`."""
    parts = urlsplit(url)
    # A machine that is gone without a word must not keep anybody waiting for hours.
    options = {
        "connect_timeout": "10",
        "keepalives_idle": "10",
        "keepalives_interval": "5",
        "keepalives_count": "3",
        "tcp_user_timeout": "25000",
        **dict(parse_qsl(parts.query)),
    }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }


TESTING = "pytest" in sys.modules
DATABASES = {"default": database(ENV["DATABASE_URL"])}
if not TESTING:
    # A worker that freezes in the middle of a transaction holds locks that the reaper and every
    # other result of its ladder wait for: then the server ends its session.
    DATABASES["default"]["OPTIONS"].setdefault(
        "options", f"-c idle_in_transaction_session_timeout={ENV['SLAYER_LEASE_S']}s"
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = ENV["REDIS_URL"]
# redis-py writes unix://path?db=1, kombu redis+socket://path?virtual_host=1
CELERY_BROKER_URL = (
    "redis+socket://" + REDIS_URL.removeprefix("unix://").replace("?db=", "?virtual_host=")
    if REDIS_URL.startswith("unix://")
    else REDIS_URL
)

DEBUG = ENV["SLAYER_DEBUG"]
SECRET_KEY = ENV["SECRET_KEY"]
ALLOWED_HOSTS = ENV["SLAYER_ALLOWED_HOSTS"]
CSRF_TRUSTED_ORIGINS = ENV["SLAYER_TRUSTED_ORIGINS"]
if DEBUG or TESTING:
    SECRET_KEY = SECRET_KEY or "only for development"
    ALLOWED_HOSTS = ALLOWED_HOSTS or ["localhost", "127.0.0.1", "[::1]", "testserver"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "bots",
    "tournaments",
    "api",
    "frontend",
    "deploy",
]

MIDDLEWARE = [
    "deploy.request_log.RequestLog",
    "deploy.health.Probes",
    "django.middleware.security.SecurityMiddleware",
    "frontend.middleware.ContentSecurityPolicy",
    "frontend.middleware.refuse_nul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "deploy.urls"
WSGI_APPLICATION = "deploy.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "frontend.context.site",
            ]
        },
    }
]

AUTH_USER_MODEL = "bots.User"
LOGIN_URL = "log-in"
CSRF_FAILURE_VIEW = "frontend.views.errors.csrf_failure"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

if TESTING:  # the real hasher is slow on purpose
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

# Packages, logs and replays are private: sent only by views that check rights.
DATA_DIR = Path(ENV["SLAYER_DATA_DIR"] or BASE_DIR / ".data")
STATIC_URL = "/static/"
STATIC_ROOT = Path(ENV["SLAYER_STATIC_DIR"] or DATA_DIR / "static")
# Above 0, views that send a file lead to a signed link of the store instead.
FILE_LINK_S = ENV["SLAYER_S3_LINK_S"] if ENV["SLAYER_S3_BUCKET"] else 0
STORAGES = {
    "default": storage.private(ENV, DATA_DIR / "files"),
    "staticfiles": {
        # Names with hashes need the files collected, which tests do without.
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
if ENV["SLAYER_HTTPS"]:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATA_UPLOAD_MAX_MEMORY_SIZE = 12 * 2**20
FILE_UPLOAD_MAX_MEMORY_SIZE = 12 * 2**20

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["api.permissions.ByScope"],
    "DEFAULT_PAGINATION_CLASS": "api.pagination.Pages",
    "PAGE_SIZE": 50,
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_VERSIONING_CLASS": None,
    "EXCEPTION_HANDLER": "api.problems.handle",
    "DEFAULT_THROTTLE_CLASSES": [
        "api.throttling.PerAddress",
        "api.throttling.PerUser",
    ],
    # How many proxies in front may be believed when they name the caller's address.
    "NUM_PROXIES": ENV["SLAYER_PROXIES"],
    "DEFAULT_THROTTLE_RATES": {
        "anon": ENV["SLAYER_RATE_ANONYMOUS"],
        "user": ENV["SLAYER_RATE_USER"],
    },
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Slayer League API",
    "DESCRIPTION": "Ladders, brackets, matches and replays of multi-player card games for bots.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "SubmissionState": "bots.models.Submission.State",
        "MatchState": "tournaments.models.Match.State",
        "AttemptState": "tournaments.models.Attempt.State",
        "BracketState": "tournaments.models.Bracket.State",
        "SeasonState": "tournaments.models.Season.State",
        "MatchKind": "tournaments.models.Match.Kind",
        "ChangeKind": "tournaments.models.RatingChange.Kind",
    },
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        # A broker that does not answer must not hold up a page.
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 2},
    }
}

# Mail goes to the console until a server is named.
EMAIL_HOST = ENV["SLAYER_SMTP_HOST"]
EMAIL_PORT = ENV["SLAYER_SMTP_PORT"]
EMAIL_HOST_USER = ENV["SLAYER_SMTP_USER"]
EMAIL_HOST_PASSWORD = ENV["SLAYER_SMTP_PASSWORD"]
EMAIL_USE_TLS = ENV["SLAYER_SMTP_TLS"]
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_TIMEOUT = 10  # the housekeeper that sends mail has other things to do
SITE_URL = ENV["SLAYER_URL"].rstrip("/")
DEFAULT_FROM_EMAIL = ENV["SLAYER_MAIL_FROM"]

# What a bot may have at once .
UPLOADS_PER_BOT_AND_DAY = ENV["SLAYER_UPLOADS_PER_DAY"]
ACTIVE_BOTS_PER_GAME = ENV["SLAYER_ACTIVE_BOTS_PER_GAME"]
BOTS_PER_PLAYER = ENV["SLAYER_BOTS_PER_PLAYER"]
PLAYER_STORAGE_BYTES = ENV["SLAYER_PLAYER_STORAGE_MB"] * 2**20
TEST_MATCHES_PER_DAY = ENV["SLAYER_TEST_MATCHES_PER_DAY"]
TEST_MATCHES_WAITING = ENV["SLAYER_TEST_MATCHES_WAITING"]
CHECK_MINUTES = ENV["SLAYER_CHECK_MINUTES"]

# How long a process may send a ladder's table without asking whether it has changed, and without
# making it anew (it also shows how long bots wait), seconds.
TABLE_FRESH_S = 0.0 if TESTING else 0.2
TABLE_PAGE_S = 0.0 if TESTING else 5.0

# Life of an attempt, seconds (times are the database's clock).
LEASE_S: int = ENV["SLAYER_LEASE_S"]
RENEW_S: int = ENV["SLAYER_RENEW_S"]
REAP_S: int = ENV["SLAYER_REAP_S"]
REPUBLISH_S: int = ENV["SLAYER_REPUBLISH_S"]
ATTEMPT_HARD_LIMIT_S = 2 * 3600
# The weakest isolation of bots with which a worker starts: engine/sandbox/tiers.py.
MIN_TIER = ENV["SLAYER_MIN_TIER"]
WORKER_PASSWORD = ENV["SLAYER_WORKER_PASSWORD"]
SELF_TEST_S: int = ENV["SLAYER_SELF_TEST_S"]
MATCHES_PER_MESSAGE: int = ENV["SLAYER_MATCHES_PER_MESSAGE"]
INFRASTRUCTURE_FAILURES: int = ENV["SLAYER_INFRASTRUCTURE_FAILURES"]

# Who may read /metrics, and from when a waiting match makes the service unready.
METRICS_TOKEN = ENV["SLAYER_METRICS_TOKEN"]
WAITING_S: int = ENV["SLAYER_WAITING_S"]

LOGGING = logs.config(ENV["SLAYER_LOG_FORMAT"], ENV["SLAYER_LOG_LEVEL"])
