"""Lists and pages of a big ladder against those of a small one, and what serving a page costs.

    python3 -m tests.bench.bench_pages                     100,000 bots and 1,000,000 matches
    python3 -m tests.bench.bench_pages --scale 0.02        the same at a fiftieth, for a try
    python3 -m tests.bench.bench_pages --parts explain     the plans of what is read most

On servers of its own, or on those that DATABASE_URL and REDIS_URL name; `--keep` leaves the two
databases there for the next run. Times are medians of calls in this process, small and big in turn,
and CPU, the database's session included: that is the same on a machine that has much else to do.
Limits of calls are off, since counting a caller costs more than some of what is measured.
"""

import argparse
import os
import sys

from tests.bench import throw_away

SMALL = (1_000, 10_000)
BIG = (100_000, 1_000_000)
NAMES = {"small": "slayer_bench_small", "big": "slayer_bench_big"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--calls", type=int, default=9)
    parser.add_argument("--parts", nargs="+", default=["first", "depth", "rank", "served"])
    parser.add_argument("--keep", action="store_true", help="leave the databases there")
    options = parser.parse_args()
    if "DATABASE_URL" not in os.environ and throw_away.needed():
        sys.exit(throw_away.run("tests.bench.bench_pages", lasting=False))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    os.environ.setdefault("SLAYER_DEBUG", "1")
    os.environ["SLAYER_LOG_LEVEL"] = "ERROR"

    import django

    django.setup()
    from django.conf import settings

    from tests.bench.pages import Bench

    settings.DEBUG = False
    big = tuple(int(options.scale * each) for each in BIG)
    bench = Bench(NAMES, {"small": SMALL, "big": big}, options.calls, say)
    bench.run(options.parts, keep=options.keep)


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    main()
