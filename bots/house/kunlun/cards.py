"""What a bot has to know of the cards of Kunlun, edition 1. The columns are those of the rules."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    kind: str  # immortal, meditation, spell, artifact, miasma, servant, creature or lord
    # Cards of a deck: what they cost and what they do while they are in force.
    rank: str = ""
    cost: int = 0
    development: int = 0
    attack: int = 0
    purity: int = 0
    leadership: str = ""
    leadership_value: int = 0
    frenzy: int = 0
    fortune: int = 0
    harvest: bool = False
    turn: str = ""
    turn_value: int = 0
    burn: bool = False
    phoenix: bool = False
    use: str = ""
    use_value: int = 0
    alchemy_discount: int = 0
    risk_bonus: int = 0
    effect: str = ""
    hand_bonus: int = 0
    # Enemies.
    strength: int = 0
    reward: int = 0
    technique: str = ""
    condition: str = ""
    curse: str = ""
    guardian: bool = False
    shadow: bool = False
    serenity: bool = False
    miasma: bool = False


CARDS = {
    # Immortals
    "disciple-of-the-scabbard": Card(
        "immortal", "disciple", 2, attack=1, leadership="pair", leadership_value=1
    ),
    "master-of-the-drawn-blade": Card(
        "immortal", "master", 4, attack=3, leadership="clan", leadership_value=1
    ),
    "sage-of-the-jade-citadel": Card(
        "immortal", "sage", 5, 2, attack=5, leadership="clan", leadership_value=1, frenzy=1
    ),
    "disciple-of-the-drum": Card("immortal", "disciple", 3, attack=1, turn="muster"),
    "master-of-the-beacon": Card("immortal", "master", 5, attack=3, turn="draw", turn_value=1),
    "sage-of-the-hidden-reserve": Card("immortal", "sage", 6, 2, attack=5, turn="call", frenzy=1),
    "disciple-of-the-flame": Card("immortal", "disciple", 3, attack=1, burn=True),
    "master-of-the-pyre": Card(
        "immortal", "master", 5, attack=3, leadership="burned", leadership_value=2
    ),
    "sage-of-the-undying-ember": Card("immortal", "sage", 6, 2, attack=5, phoenix=True, frenzy=1),
    "disciple-of-the-alembic": Card("immortal", "disciple", 3, attack=2, alchemy_discount=1),
    "master-of-the-crucible": Card(
        "immortal", "master", 5, attack=4, leadership="regalia", leadership_value=1
    ),
    "sage-of-esoteric-swordplay": Card(
        "immortal", "sage", 6, 2, attack=5, leadership="clan", leadership_value=3, risk_bonus=1
    ),
    # Meditation
    "diligence": Card("meditation", cost=1, purity=1),
    "contemplation": Card("meditation", cost=3, purity=2),
    "enlightenment": Card("meditation", cost=6, purity=3),
    # Spells
    "pure-heart": Card("spell", cost=2, turn="purge"),
    "golden-harvest-incantation": Card("spell", cost=3, purity=1, harvest=True),
    "five-thunders-incantation": Card("spell", cost=4, attack=3),
    "whirling-blades-incantation": Card("spell", cost=5, attack=1, frenzy=1),
    "cloud-stride-incantation": Card("spell", cost=5, turn="draw", turn_value=2),
    "parted-veil-incantation": Card("spell", cost=3, attack=1, turn="veil"),
    # Artifacts: their development is price and score
    "profane-seal": Card("artifact", development=4, turn="seal"),
    "nine-dragon-standard": Card("artifact", development=6, harvest=True),
    "heart-sutra-flag": Card("artifact", development=5, use="purity", use_value=4),
    "six-demon-bell": Card("artifact", development=6, use="attack", use_value=6),
    "talisman-of-expedition": Card("artifact", development=5, use="draw", use_value=2),
    "pearl-of-ten-thousand-years": Card("artifact", development=8, attack=2, purity=1),
    "seven-star-sword": Card("artifact", development=7, attack=3),
    "wind-and-fire-wheels": Card("artifact", development=9, frenzy=1),
    "mirror-of-still-water": Card("artifact", development=4, purity=1),
    "purple-gold-gourd": Card("artifact", development=5),
    "cinnabar-furnace": Card("artifact", development=3, risk_bonus=1),
    "tiger-tally": Card("artifact", development=5, attack=2),
    # Miasmas
    "corpse-breath-miasma": Card("miasma", effect="turn", attack=-3),
    "silver-tooth-miasma": Card("miasma", effect="settle", attack=-1),
    "vanishing-truth-miasma": Card("miasma", effect="settle", purity=-1),
    "gnawing-doubt-miasma": Card("miasma", effect="turn", purity=-2),
    "leaden-limb-miasma": Card("miasma", effect="leaden"),
    "greedy-whisper-miasma": Card("miasma", effect="toll"),
    "fever-blood-miasma": Card("miasma", effect="turn", attack=2, purity=-1),
    # Servants
    "spider-vanguard": Card("servant", strength=3, reward=1, serenity=True),
    "grave-imp": Card("servant", strength=2, reward=1, technique="horde"),
    "lantern-wraith": Card("servant", strength=2, reward=1, curse="dim"),
    "bone-piper": Card("servant", strength=3, reward=1, frenzy=1),
    "mud-ghoul": Card("servant", strength=3, reward=1, guardian=True),
    "blood-monk": Card("servant", strength=4, reward=2, condition="two-meditations"),
    "plague-crow": Card("servant", strength=4, reward=2, miasma=True),
    "fox-enchantress": Card("servant", strength=5, reward=2, curse="envy"),
    "vermillion-bird": Card("servant", strength=6, reward=3, condition="first-attack"),
    "iron-sentinel": Card("servant", strength=5, reward=2, guardian=True),
    "banner-fiend": Card("servant", strength=4, reward=2, technique="banner"),
    "shade-assassin": Card("servant", strength=5, reward=3, shadow=True),
    "miasma-master": Card("servant", strength=8, reward=5, miasma=True),
    "ogre-butcher": Card("servant", strength=7, reward=4, serenity=True),
    "thousand-eyes": Card("servant", strength=7, reward=4, condition="master-or-sage"),
    "corpse-puppeteer": Card("servant", strength=8, reward=4, curse="infect"),
    "night-rider": Card("servant", strength=9, reward=5, curse="ambush"),
    "demon-smith": Card("servant", strength=11, reward=6, condition="two-immortals"),
    # Enchanted Creatures
    "azure-dragon": Card("creature", strength=6, attack=2),
    "white-tiger": Card("creature", strength=8, frenzy=1),
    "black-tortoise": Card("creature", strength=5, purity=2),
    "golden-qilin": Card("creature", strength=5, fortune=1),
    "moon-hare": Card("creature", strength=7, hand_bonus=1),
    # Lords
    "hungry-ghost-sage": Card("lord", strength=6, reward=5, miasma=True),
    "drum-marshal": Card("lord", strength=5, reward=5, technique="drill"),
    "veiled-empress": Card("lord", strength=9, reward=6, shadow=True),
    "plague-abbot": Card("lord", strength=7, reward=5, curse="pestilence"),
    "gate-tyrant": Card("lord", strength=8, reward=6, technique="blockade"),
    "jade-regent": Card("lord", strength=8, reward=6, technique="levy"),
    "supreme-villain": Card("lord", strength=12, reward=10, technique="dread"),
}


def card_of(action):
    """The card that an action names: slay grave-imp → grave-imp; the action itself if none."""
    return action.partition(" ")[2] or action
