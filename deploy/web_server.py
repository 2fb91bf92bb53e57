"""The web server's settings: `gunicorn -c python:deploy.web_server deploy.wsgi:application`.

Its log lines look like all others; each request has one, written by `deploy/request_log.py`.
"""

import logging.config

from gunicorn.glogging import Logger

from deploy import environment, logs


class Log(Logger):  # type: ignore[misc]
    """gunicorn's own lines, in the format of the service."""

    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        values = environment.read_all()
        logging.config.dictConfig(
            logs.config(values["SLAYER_LOG_FORMAT"], values["SLAYER_LOG_LEVEL"])
        )
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True


worker_class = "gthread"
workers = 2
threads = 8
timeout = 60
graceful_timeout = 5
preload_app = True
control_socket_disable = True
accesslog = None
logger_class = Log
