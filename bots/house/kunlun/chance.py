"""Decisions left to chance in Kunlun: never to abstain from a turn.

Who abstains every other turn throws the own deck away, and then nothing happens any more.
"""

from handicap import handicapped


def any_action(legal_actions, dice):
    """One of the legal actions, all equally likely, but to proceed with a turn if that is asked."""
    return "proceed" if "proceed" in legal_actions else dice.choice(legal_actions)


def with_handicap(choose):
    """`choose` with the house's handicap; where that would abstain, `choose` itself is asked."""
    weakened = handicapped(choose)

    def decide(observation, legal_actions, info):
        answer = weakened(observation, legal_actions, info)
        return choose(observation, legal_actions, info) if answer == "abstain" else answer

    return decide
