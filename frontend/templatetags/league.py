"""Small things that templates need."""

from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.timesince import timesince

from bots.models import Bot, Submission
from engine.faults import escape

register = template.Library()


@register.filter
def version(submission: Submission | None) -> str:
    """A link to the bot, with the version: wolf v2 (ada)."""
    if submission is None:
        return "–"
    return format_html(
        '<a href="/bots/{}/">{}</a> <small class="by">v{} · {}</small>',
        submission.bot_id,
        submission.bot.name,
        submission.number,
        submission.bot.player.handle,
    )


@register.filter
def bot_link(bot: Bot) -> str:
    """A link to the bot, with its player."""
    return format_html(
        '<a href="/bots/{}/">{}</a> <small class="by">{}</small>',
        bot.pk,
        bot.name,
        bot.player.handle,
    )


@register.filter
def at(row: Any, index: int | str) -> Any:
    """An entry of a list or dict; None when it is not there."""
    try:
        return row[index]
    except (IndexError, KeyError, TypeError):
        return None


@register.filter
def decimals(value: float | None, digits: int = 2) -> str:
    """A number with so many decimals; a dash for none."""
    return "–" if value is None else f"{float(value):.{digits}f}"


@register.filter
def ago(moment: datetime | None) -> str:
    """How long ago, in one unit; a dash for never."""
    if moment is None:
        return "–"
    past = timesince(moment, depth=1)
    return "just now" if past.startswith("0") else f"{past} ago"


@register.filter
def escaped_bytes(value: bytes) -> str:
    """Bytes from a bot as text of several lines; other control bytes stand as escapes."""
    return escape(value, lines=True)


@register.filter
def plain(value: Any) -> str:
    """A JSON value in words: lists joined, objects as name and value."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "–"
    if value is None:
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)


@register.filter
def printable(value: str) -> str:
    """Text from a bot in one line; characters that do not print stand as escapes."""
    return escape(value.encode("utf-8", "surrogatepass"))
