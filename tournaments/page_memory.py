"""Pages of ladders that this process has made and may send again: the same bytes for everybody.

What a page shows follows from the ladder's state (`pictures.state_of`), so a page is sent as long
as the state is the same. The state itself is read again after TABLE_FRESH_S seconds. Nothing that
differs between callers may be kept here.
"""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

from django.conf import settings

from tournaments.models import Ladder
from tournaments.pictures import Picture, state_of

_LADDERS_KEPT = 64
_heads: OrderedDict[str, tuple[float, Ladder]] = OrderedDict()


def ladder_of(slug: str) -> Ladder | None:
    """The ladder, as it was at most TABLE_FRESH_S seconds ago; None if there is none."""
    now = time.monotonic()
    known = _heads.get(slug)
    if known is not None and now < known[0]:
        return known[1]
    found = Ladder.objects.filter(slug=slug).first()
    if found is not None:
        _heads[slug] = (now + settings.TABLE_FRESH_S, found)
        while len(_heads) > _LADDERS_KEPT:
            _heads.popitem(last=False)
    return found


@dataclass(frozen=True, slots=True)
class Kept:
    """A page as it is sent, with the ETag of its bytes."""

    body: bytes
    etag: str
    state: tuple[int, int, int]
    good_until: float


class PageMemory:
    """The pages of one kind, by any key that says all that they depend on beside the ladder."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[object, ...], Kept] = OrderedDict()

    def get(self, ladder: Ladder, *key: object) -> Kept | None:
        """The page, if it still shows the ladder as it is."""
        kept = self._kept.get((ladder.pk, *key))
        if kept is None or kept.state != state_of(ladder) or time.monotonic() >= kept.good_until:
            return None
        return kept

    def keep(self, ladder: Ladder, picture: Picture, body: bytes, *key: object) -> Kept:
        """Remember a page whose ranks are those of `picture`."""
        good_until = time.monotonic() + settings.TABLE_PAGE_S
        if picture.state != state_of(ladder):  # its ranks will soon be other ones
            good_until = min(good_until, picture.good_until)
        etag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
        kept = Kept(body, etag, state_of(ladder), good_until)
        with self._lock:
            self._kept[ladder.pk, *key] = kept
            self._kept.move_to_end((ladder.pk, *key))
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return kept
