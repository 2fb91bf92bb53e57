"""A Celery worker that plays matches: its start, its sign of life, and its end.

A worker of the queue `match` attacks its own sandbox before it takes anything, and again every few
minutes; one that cannot isolate bots as well as SLAYER_MIN_TIER asks notes what is missing and
exits with status 78 (EX_CONFIG), so that nobody restarts it in vain. One that finds no database
waits for it a while and then exits with status 75 (EX_TEMPFAIL).
"""

import logging
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextvars import Token
from functools import lru_cache
from typing import Any

from celery import bootsteps
from celery.signals import (
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from django.db import Error, close_old_connections, connection

from engine.sandbox import CannotIsolate, DoesNotHold, MachineFailure, isolated, sweep
from tournaments import runner, tracing, workers
from tournaments.dispatch.messages import QUEUE, REQUEST_HEADER
from tournaments.holding import DATABASE_AWAY
from tournaments.models import Worker

logger = logging.getLogger(__name__)
EX_CONFIG = 78
EX_TEMPFAIL = 75
EX_SOFTWARE = 70
_DATABASE_WITHIN_S = 60.0

_worker: Worker | None = None


def this_worker() -> Worker:
    """The row of the worker that this process belongs to."""
    if _worker is None:
        raise RuntimeError("This process is no worker of the queue 'match'")
    return _worker


@worker_init.connect
def _start(sender: Any, **_: Any) -> None:
    """Register before the pool is forked, so that its processes know who they are."""
    global _worker
    if QUEUE not in sender.app.amqp.queues.consume_from:
        return
    _sweep()
    try:
        description = _describe(sender.concurrency)
        _worker = _register(sender.hostname, description)
    except Exception as error:
        # Celery would log it and go on, and this worker would use up every message for nothing.
        logger.exception("This worker cannot start")
        raise SystemExit(EX_SOFTWARE) from error
    finally:
        # A connection that is open here would be shared with the processes to be forked.
        connection.close()
    if description.problem:
        logger.critical("This worker cannot play matches: %s", description.problem)
        raise SystemExit(EX_CONFIG)
    sender.app.steps["consumer"].add(_Presence)


def _register(name: str, description: workers.Description) -> Worker:
    """Note that the worker starts; a database that is away is waited for."""
    until = time.monotonic() + _DATABASE_WITHIN_S
    while True:
        try:
            return workers.register(name, description)
        except DATABASE_AWAY as error:
            connection.close()
            if time.monotonic() > until:
                logger.critical("This worker finds no database: %s", error)
                raise SystemExit(EX_TEMPFAIL) from error
            logger.warning("Waiting for the database: %s", error)
            time.sleep(1)


def _sweep() -> None:
    if left := sweep():
        logger.info("Removed %d folders that killed processes had left", left)


def _describe(slots: int) -> workers.Description:
    try:
        with isolated(minimum=settings.MIN_TIER) as sandbox:
            tier, languages = sandbox.name, sandbox.languages
            python, problem = sandbox.python_version or "", ""
            for language, reason in sandbox.refusals.items():
                logger.warning("No %s bots here: %s", language, reason)
    except (CannotIsolate, ValueError) as error:
        tier, languages, python, problem = workers.NO_TIER, (), "", str(error)
    return workers.Description(
        version=checkout_version(),
        python=python,
        languages=languages,
        slots=slots,
        tier=tier,
        problem=problem,
    )


@lru_cache(maxsize=1)
def checkout_version() -> str:
    """The version of this checkout, from which the service always runs."""
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _try_sandbox_again() -> None:
    """A kernel or its settings can change while we run.

    Only a sandbox that does not hold ends the worker: when the machine has too much to do for a
    trial, no bot has got out.
    """
    _sweep()  # processes of our pool can be killed too
    try:
        with isolated(minimum=settings.MIN_TIER, name=this_worker().tier):
            pass
    except DoesNotHold as error:
        logger.critical("This worker plays no more matches: %s", error)
        runner.stop_playing()
        try:
            workers.cannot_isolate(this_worker().pk, str(error))
        except Error as away:
            logger.warning("Could not note it: %s", away)
        finally:
            connection.close()
        raise SystemExit(EX_CONFIG) from error
    except (CannotIsolate, MachineFailure) as error:
        logger.warning("The sandbox could not be tried: %s", error)


class _Presence(bootsteps.StartStopStep):
    """Says every few seconds that the worker lives, and takes no messages while it is paused."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        self._timers = [
            parent.timer.call_repeatedly(workers.SEEN_EVERY_S, self._seen, (parent,)),
            parent.timer.call_repeatedly(settings.SELF_TEST_S, _try_sandbox_again),
        ]
        self._seen(parent)

    def stop(self, parent: Any) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers = []

    _timers: Sequence[Any] = ()

    def _seen(self, parent: Any) -> None:
        try:
            paused = workers.seen(this_worker().pk, clock=time.time())
        except Error as error:
            logger.warning("Could not say that this worker lives: %s", error)
            return
        finally:
            connection.close()  # as above: processes are forked again when one dies
        consuming = parent.task_consumer.consuming_from(QUEUE)
        if paused and consuming:
            parent.cancel_task_queue(QUEUE)
        elif not paused and not consuming:
            parent.add_task_queue(QUEUE)


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    runner.stop_playing()


@worker_process_shutdown.connect
def _close(**_: Any) -> None:
    runner.close_sandbox()


@task_prerun.connect
def _begin(task: Any, task_id: str, **_: Any) -> None:
    """Celery keeps connections; this drops those that are broken or too old.

    From here on log lines name the task, and the request that sent it.
    """
    close_old_connections()
    ids = {"task": task_id, "task_name": task.name.rpartition(".")[2]}
    request = (task.request.headers or {}).get(REQUEST_HEADER)
    if isinstance(request, str):
        ids["request"] = request
    _tokens.append(tracing.begin(**ids))


@task_postrun.connect
def _end(**_: Any) -> None:
    if _tokens:
        tracing.end(_tokens.pop())


_tokens: list[Token[Mapping[str, tracing.Id]]] = []  # a pool process runs one task at a time
