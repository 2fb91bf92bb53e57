"""Accounts, players, bots and submissions: what was uploaded, and whether it may play."""

from bots.models.act import Act
from bots.models.bot import Bot, Submission
from bots.models.notice import Notice
from bots.models.player import Membership, Player
from bots.models.token import Token
from bots.models.user import User

__all__ = ["Act", "Bot", "Membership", "Notice", "Player", "Submission", "Token", "User"]
