class ServerError(Exception):
    """A server cannot be had; the message says why and what helps. Shown without a traceback."""
