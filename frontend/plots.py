"""Plots drawn on the server as SVG: they need no script and can be read as text."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tournaments.models import RatingChange

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 10, 24
MOST_POINTS = 400


def rating_history(changes: Sequence[RatingChange], *, whole: bool = True) -> SafeString:
    """mu with its interval mu ± 2 sigma over the ledger's rows; '' for fewer than two.

    A dotted line stands where a version entered. Without `whole` there are older rows.
    """
    if len(changes) < 2:
        return SafeString("")
    step = max(1, -(-len(changes) // MOST_POINTS))
    # Thinned evenly, with the newest always there.
    shown = [row for i, row in enumerate(changes) if (len(changes) - 1 - i) % step == 0]
    low = min(row.mu - 2 * row.sigma for row in shown)
    high = max(row.mu + 2 * row.sigma for row in shown)
    span = (high - low) or 1.0

    def x(index: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * index / (len(changes) - 1), 1)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / span, 1)

    places = [x(i) for i, _ in enumerate(changes) if (len(changes) - 1 - i) % step == 0]
    upper = [f"{px},{y(row.mu + 2 * row.sigma)}" for px, row in zip(places, shown, strict=True)]
    lower = [f"{px},{y(row.mu - 2 * row.sigma)}" for px, row in zip(places, shown, strict=True)]
    mean = [f"{px},{y(row.mu)}" for px, row in zip(places, shown, strict=True)]
    enters = [x(i) for i, row in enumerate(changes) if row.kind == RatingChange.Kind.ENTER]
    ticks = [low + span * part / 4 for part in range(5)]
    return format_html(
        '<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="mu from {} to {} over {} '
        'changes, now {} ± {}">{}{}<polygon class="band" points="{}"/>'
        '<polyline class="mean" points="{}"/><text x="{}" y="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="end">now, after {}{} changes</text></svg>',
        WIDTH,
        HEIGHT,
        f"{min(row.mu for row in shown):.1f}",
        f"{max(row.mu for row in shown):.1f}",
        len(changes),
        f"{shown[-1].mu:.1f}",
        f"{2 * shown[-1].sigma:.1f}",
        format_html_join(
            "",
            '<line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>'
            '<text x="{}" y="{}" text-anchor="end">{}</text>',
            (
                (LEFT, WIDTH - RIGHT, y(tick), y(tick), LEFT - 6, y(tick) + 4, f"{tick:.1f}")
                for tick in ticks
            ),
        ),
        format_html_join(
            "",
            '<line class="enter" x1="{}" x2="{}" y1="{}" y2="{}"/>',
            ((px, px, TOP, HEIGHT - BOTTOM) for px in enters),
        ),
        " ".join([*upper, *reversed(lower)]),
        " ".join(mean),
        LEFT,
        HEIGHT - 6,
        "entry" if whole else "earlier",
        WIDTH - RIGHT,
        HEIGHT - 6,
        "" if whole else "more than ",
        len(changes),
    )
