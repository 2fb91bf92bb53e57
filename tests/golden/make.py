"""Write the golden play-throughs of the newest editions: `python3 -m tests.golden.make`."""

from engine import games
from tests.golden.plays import deals, lines, path

if __name__ == "__main__":
    for game in games.all():
        for deal in deals(game):
            text = "\n".join(lines(deal)) + "\n"
            changed = not path(deal).exists() or path(deal).read_text() != text
            path(deal).write_text(text)
            print(f"{'wrote' if changed else 'as before'}: {path(deal).name}")
