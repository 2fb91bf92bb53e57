"""Several callers at the same moment, each with a database connection of its own."""

import threading

from django.db import connections


def at_once(*calls):
    """Run the calls in threads that start together; their results, or raises their first error."""
    gate = threading.Barrier(len(calls))
    results = [None] * len(calls)
    errors = []

    def run(number, call):
        try:
            gate.wait(10)
            results[number] = call()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    if errors:
        raise errors[0]
    return results
