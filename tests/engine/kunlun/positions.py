"""Positions for tests of the rules: what a test names lies there, all other cards at home."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from engine.contract import State
from engine.games.kunlun.game import Kunlun
from tests.engine.states import told as told

GAME = Kunlun()
SEED = "5e" * 32

# Written down once more, by hand from the rules, so that the tests do not lean on the tables.
COPIES = """
disciple-of-the-scabbard 6, master-of-the-drawn-blade 4, sage-of-the-jade-citadel 1,
disciple-of-the-drum 6, master-of-the-beacon 4, sage-of-the-hidden-reserve 1,
disciple-of-the-flame 6, master-of-the-pyre 4, sage-of-the-undying-ember 1,
disciple-of-the-alembic 6, master-of-the-crucible 4, sage-of-esoteric-swordplay 1,
diligence 28, contemplation 14, enlightenment 10,
pure-heart 4, golden-harvest-incantation 2, five-thunders-incantation 5,
whirling-blades-incantation 4, cloud-stride-incantation 4, parted-veil-incantation 2,
profane-seal 2, nine-dragon-standard 2, heart-sutra-flag 1, six-demon-bell 1,
talisman-of-expedition 1, pearl-of-ten-thousand-years 1, seven-star-sword 1,
wind-and-fire-wheels 1, mirror-of-still-water 1, purple-gold-gourd 1, cinnabar-furnace 1,
tiger-tally 1,
corpse-breath-miasma 3, silver-tooth-miasma 2, vanishing-truth-miasma 1, gnawing-doubt-miasma 1,
leaden-limb-miasma 1, greedy-whisper-miasma 1, fever-blood-miasma 1,
spider-vanguard 4, grave-imp 5, lantern-wraith 4, bone-piper 3, mud-ghoul 4, blood-monk 3,
plague-crow 3, fox-enchantress 3, vermillion-bird 3, iron-sentinel 3, banner-fiend 2,
shade-assassin 3, miasma-master 2, ogre-butcher 2, thousand-eyes 2, corpse-puppeteer 2,
night-rider 2, demon-smith 1,
azure-dragon 1, white-tiger 1, black-tortoise 1, golden-qilin 1, moon-hare 1,
hungry-ghost-sage 1, drum-marshal 1, veiled-empress 1, plague-abbot 1, gate-tyrant 1,
jade-regent 1, supreme-villain 1
"""
CARDS = {name: int(count) for name, count in (copies.split() for copies in COPIES.split(","))}
NAMES = list(CARDS)
ORDER = {name: number for number, name in enumerate(NAMES)}
CLANS = {
    "kunlun": NAMES[0:3],
    "kichen": NAMES[3:6],
    "wu": NAMES[6:9],
    "kontong": NAMES[9:12],
}
MEDITATIONS = NAMES[12:15]
SPELLS = NAMES[15:21]
ARTIFACTS = NAMES[21:33]
MIASMAS = NAMES[33:40]
SERVANTS = NAMES[40:58]
CREATURES = NAMES[58:63]
LORDS = NAMES[63:70]

# Tests write the Immortals, Meditation cards and Spells by their last word.
SHORT = {
    "scabbard": "disciple-of-the-scabbard",
    "blade": "master-of-the-drawn-blade",
    "citadel": "sage-of-the-jade-citadel",
    "drum": "disciple-of-the-drum",
    "beacon": "master-of-the-beacon",
    "reserve": "sage-of-the-hidden-reserve",
    "flame": "disciple-of-the-flame",
    "pyre": "master-of-the-pyre",
    "ember": "sage-of-the-undying-ember",
    "alembic": "disciple-of-the-alembic",
    "crucible": "master-of-the-crucible",
    "swordplay": "sage-of-esoteric-swordplay",
    "harvest": "golden-harvest-incantation",
    "thunders": "five-thunders-incantation",
    "blades": "whirling-blades-incantation",
    "stride": "cloud-stride-incantation",
    "veil": "parted-veil-incantation",
    "standard": "nine-dragon-standard",
    "flag": "heart-sutra-flag",
    "bell": "six-demon-bell",
    "talisman": "talisman-of-expedition",
    "pearl": "pearl-of-ten-thousand-years",
    "sword": "seven-star-sword",
    "wheels": "wind-and-fire-wheels",
    "mirror": "mirror-of-still-water",
    "gourd": "purple-gold-gourd",
    "furnace": "cinnabar-furnace",
    "tally": "tiger-tally",
    "corpse-breath": "corpse-breath-miasma",
    "silver-tooth": "silver-tooth-miasma",
    "vanishing-truth": "vanishing-truth-miasma",
    "gnawing-doubt": "gnawing-doubt-miasma",
    "leaden-limb": "leaden-limb-miasma",
    "greedy-whisper": "greedy-whisper-miasma",
    "fever-blood": "fever-blood-miasma",
}

NOTHING_YET = {
    "attack_bonus": 0,
    "attack_spent": 0,
    "purity_bonus": 0,
    "purity_spent": 0,
    "slain": 0,
    "frenzy_bonus": 0,
    "leaden": False,
    "veil": False,
    "swept": False,
    "burned": 0,
    "acquired": 0,
    "from_isles": 0,
    "twins": 0,
    "alchemy": False,
    "hand_delta": 0,
    "turned": {},
    "used": [],
}


def cards(text: str) -> list[str]:
    """The cards of a text such as "3 diligence, scabbard", in table order."""
    names = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        count, _, name = part.rpartition(" ")
        names += [SHORT.get(name, name)] * int(count or 1)
    return in_order(names)


def in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=ORDER.__getitem__)


def position(
    hand: str = "",
    *,
    clan: str = "kunlun",
    ready: str = "",
    waiting: str = "",
    regalia: str = "",
    creature: str | None = None,
    tokens: int = 0,
    lord: str | None = "hungry-ghost-sage",
    zone: str = "",
    servants: str = "",
    artifacts: str = "",
    miasmas: str = "",
    gone: str = "",
    abyss: str = "",
    others: tuple[dict[str, Any], ...] = ({},),
    turn: int = 0,
    phase: str = "action",
    now: dict[str, Any] | None = None,
    **fields: Any,
) -> State:
    """A state in which the seat `turn` has what is given; `others` are the other seats in order.

    Cards are texts as for `cards`; `servants`, `artifacts` and `miasmas` are what is drawn next,
    and `ready` the whole Ready deck, in both the first card first. What is not named lies at home:
    in the Lists, on the Isles and in the decks. Other fields as in a position.
    """
    mine = {
        "clan": clan,
        "ready": ready,
        "hand": hand,
        "waiting": waiting,
        "regalia": regalia,
        "creature": creature,
        "tokens": tokens,
    }
    given = [dict(other) for other in others]
    given.insert(turn, mine)
    clans = [name for name in CLANS if name not in [seat.get("clan") for seat in given]]
    left = Counter(CARDS)
    seats = [_seat(seat, seat.get("clan") or clans.pop(0), left) for seat in given]
    for seat in seats:
        seat["list"] = {name: left[name] for name in CLANS[seat["clan"]]}
    on_table = {
        "lord": lord,
        "zone": cards(zone),
        "gone": cards(gone),
        "abyss": cards(abyss),
    }
    for names in (on_table["zone"], on_table["gone"], on_table["abyss"], [lord] if lord else []):
        left.subtract(names)
    pending = fields.get("pending", [])
    for step in pending:
        left.subtract(step.get("cards", []))
        if step["kind"] == "creature":
            left.subtract([step["card"]])
    decks = {
        "servants": _deck(servants, [*SERVANTS, *CREATURES], left),
        "lords": _deck("", LORDS[::-1], left),
        "artifacts": _deck(artifacts, ARTIFACTS, left),
        "miasmas": _deck(miasmas, MIASMAS, left),
    }
    return GAME.state_from_dict(
        {
            "game": "kunlun",
            "edition": "1",
            "players": len(seats),
            "seed": SEED,
            "options": {"clans": "random", "first": "random"},
            "drawn": {},
            "phase": phase,
            "first": 0,
            "turn": turn,
            "round": 1,
            "wave": 1,
            "quiet": 0,
            "stirred": False,
            **on_table,
            **decks,
            "isles": {name: left[name] for name in (*MEDITATIONS, *SPELLS)},
            "seats": seats,
            "now": {**NOTHING_YET, **(now or {})},
            "pending": [],
            **fields,
        }
    )


def _seat(given: dict[str, Any], clan: str, left: Counter[str]) -> dict[str, Any]:
    """A seat as in a position, but for the List; its cards are not at home."""
    seat = {
        "clan": clan,
        "ready": [name for part in given.get("ready", "").split(",") for name in cards(part)][::-1],
        **{name: cards(given.get(name, "")) for name in ("hand", "waiting", "regalia")},
        "creature": given.get("creature"),
        **{name: cards(given.get(name, "")) for name in ("trophies", "sure")},
        "tokens": given.get("tokens", 0),
    }
    for name in ("ready", "hand", "waiting", "regalia", "trophies"):
        left.subtract(seat[name])
    if seat["creature"] is not None:
        left.subtract([seat["creature"]])
    return seat


def _deck(top: str, names: list[str], left: Counter[str]) -> list[str]:
    """All that is left, with the cards of the text on top."""
    tops = [name for part in top.split(",") for name in cards(part)]
    left.subtract(tops)
    rest = [name for name in names for _ in range(left[name])]
    return rest + tops[::-1]


def act(state: State, *actions: str) -> State:
    """Take the actions, each by whoever decides; short names of cards are written out."""
    for action in actions:
        (player,) = state.current_players()
        state.apply_action(player, full(action))
    return state


def full(action: str) -> str:
    """The action with the card's name in full."""
    verb, _, argument = action.partition(" ")
    return f"{verb} {SHORT.get(argument, argument)}".strip()


def legal(state: State, *verbs: str) -> list[str]:
    """What whoever decides may do; with verbs, only the actions with these."""
    (player,) = state.current_players()
    actions = state.legal_actions(player)
    return [action for action in actions if not verbs or action.split()[0] in verbs]


def may(state: State, action: str) -> bool:
    """Whether whoever decides may do this now."""
    return full(action) in legal(state)


def seen(state: State, player: int | None = None) -> dict[str, Any]:
    """The observation, a spectator's by default."""
    return state.observation(player)


def now(state: State) -> dict[str, Any]:
    """The numbers of the player in turn."""
    return state.observation(None)["now"]


def seat(state: State, player: int | None = None) -> dict[str, Any]:
    """A seat as in a position; that of the player in turn by default."""
    position = state.to_dict()
    return position["seats"][position["turn"] if player is None else player]


def tokens(state: State) -> list[int]:
    return [seat["tokens"] for seat in state.to_dict()["seats"]]


def roll(state: State, stake: int, die: int) -> State:
    """Risk the stake; the seed of the position is chosen so that the die shows `die`."""
    position = state.to_dict()
    for number in range(1000):
        position["seed"] = f"{number:064x}"
        copy = GAME.state_from_dict(position)
        act(copy, f"risk {stake}")
        if told(copy, "roll")[-1]["die"] == die:
            return copy
    raise AssertionError(f"no seed for a {die}")
