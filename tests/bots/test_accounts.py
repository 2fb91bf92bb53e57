from datetime import timedelta

import pytest
from django.utils import timezone

from bots import accounts
from bots.faults import UserFault
from bots.models import Membership, Notice, Player, Token, User
from tests.builders import make_player

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def test_signing_up_makes_a_user_and_a_player_of_its_own():
    user, player = accounts.sign_up(
        email="ada@example.org", password="correct horse battery", handle="ada", name="Ada L."
    )
    assert user.check_password("correct horse battery")
    assert (player.handle, player.name, player.house) == ("ada", "Ada L.", False)
    assert Membership.objects.get(user=user, player=player).role == "owner"
    assert accounts.may_manage(user, player)


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"email": "ADA@Example.org"}, "email", "has an account already"),
        ({"email": "ada"}, "email", "valid email"),
        ({"email": ""}, "email", "blank"),
        ({"handle": "ada"}, "handle", "taken"),
        ({"handle": "Not A Handle"}, "handle", "lower-case letters"),
        ({"handle": "a--b"}, "handle", "lower-case letters"),
        ({"password": "12345"}, "password", "too short"),
        ({"password": "password123"}, "password", "too common"),
    ],
)
def test_a_bad_sign_up_says_what_is_wrong_and_leaves_nothing(changes, field, says):
    accounts.sign_up(email="ada@example.org", password="correct horse battery", handle="ada")
    right = {"email": "bob@example.org", "password": "correct horse battery", "handle": "bob"}
    with pytest.raises(UserFault, match=says) as caught:
        accounts.sign_up(**right | changes)
    assert caught.value.field == field
    assert (User.objects.count(), Player.objects.count()) == (1, 1)


def test_a_token_is_found_by_its_key_which_is_not_kept():
    user, _ = make_player()
    token, key = accounts.make_token(user=user, name="laptop", scopes=["submit", "read"])
    assert accounts.token_for(key) == token
    assert token.scopes == ["read", "submit"]
    assert key not in "".join(str(value) for value in Token.objects.values().get().values())
    assert accounts.token_for(key + "x") is None


def test_expired_revoked_and_inactive_tokens_are_no_tokens():
    user, _ = make_player()
    soon = timezone.now() + timedelta(hours=1)
    token, key = accounts.make_token(user=user, name="a", scopes=["read"], expires_at=soon)
    Token.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert accounts.token_for(key) is None

    token, key = accounts.make_token(user=user, name="b", scopes=["read"])
    accounts.revoke_token(token)
    assert accounts.token_for(key) is None

    _, key = accounts.make_token(user=user, name="c", scopes=["read"])
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert accounts.token_for(key) is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"scopes": ["fly"]}, "scopes"),
        ({"scopes": []}, "scopes"),
        ({"name": " "}, "name"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "expires_at"),
    ],
)
def test_a_bad_token_is_refused(changes, field):
    user, _ = make_player()
    with pytest.raises(UserFault) as caught:
        accounts.make_token(**{"user": user, "name": "a", "scopes": ["read"]} | changes)
    assert caught.value.field == field
    assert not Token.objects.exists()


def test_only_members_manage_a_player():
    user, player = make_player()
    other, _ = make_player()
    other.is_staff = other.is_superuser = True
    other.save()
    assert not accounts.may_manage(other, player)
    Membership.objects.create(user=other, player=player, role="member")
    assert accounts.may_manage(other, player)
    assert accounts.may_manage(user, player)


def test_a_notice_reaches_every_member():
    user, player = make_player()
    other, _ = make_player()
    Membership.objects.create(user=other, player=player, role="member")
    accounts.notify(player, kind="qualified", text="v1 qualified")
    assert set(Notice.objects.values_list("user", flat=True)) == {user.pk, other.pk}
