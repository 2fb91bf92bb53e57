"""The workers' database role on a real PostgreSQL: all that a worker does, and nothing else."""

from contextlib import contextmanager
from io import StringIO
from urllib.parse import quote

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.functions import Now
from psycopg.errors import InsufficientPrivilege

from bots import accounts
from bots.models import Token, User
from tests.builders import make_player
from tests.faults.conftest import Processes, until
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, played, report
from tournaments import database_role, dispatch, ledger
from tournaments.models import Attempt, Match, Play, Rating, RatingChange, Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]
PASSWORD = "a password of workers"


def name_of_role():
    """Roles are of the whole server, which other runs may use beside this one."""
    return f"worker_of_{connection.settings_dict['NAME']}"


def drop(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        if cursor.fetchone():
            cursor.execute(f'DROP OWNED BY "{name}"')
            cursor.execute(f'DROP ROLE "{name}"')


@pytest.fixture
def role(transactional_db):
    name = name_of_role()
    drop(name)
    database_role.install(name=name, password=PASSWORD)
    yield name
    drop(name)


def url(role):
    database = connection.settings_dict
    place = f"{quote(role)}:{quote(PASSWORD)}@"
    if database["HOST"].startswith("/"):
        return f"postgresql://{place}/{database['NAME']}?host={database['HOST']}"
    port = database["PORT"] or 5432
    return f"postgresql://{place}{database['HOST']}:{port}/{database['NAME']}"


@contextmanager
def as_role(role):
    with psycopg.connect(url(role), autocommit=True) as session:
        yield session


@pytest.fixture
def session(role):
    with as_role(role) as session:
        yield session


def refused(session, statement, *values):
    with pytest.raises(InsufficientPrivilege):
        session.execute(statement, values or None)


@contextmanager
def this_process_as(role):
    """Django's connection of this thread is the role's meanwhile."""
    database = connection.settings_dict
    before = {key: database[key] for key in ("USER", "PASSWORD")}
    connection.close()
    database.update(USER=role, PASSWORD=PASSWORD)
    try:
        yield
    finally:
        connection.close()
        database.update(before)


class AsRole(Processes):
    """Workers whose DATABASE_URL is the role's."""

    role = ""

    def environment(self):
        """With the role's address, and without the key of the site: a worker has no use for it."""
        given = {**super().environment(), "DATABASE_URL": url(self.role), "SLAYER_DEBUG": "0"}
        return {name: value for name, value in given.items() if name != "SECRET_KEY"}


def test_a_worker_process_plays_a_whole_match_as_the_role(role, ladder, redis_url, files, tmp_path):
    bots = [entrant() for _ in range(3)]
    match = ladder_match(ladder, bots)
    AsRole.role = role
    processes = AsRole(tmp_path, redis_url)
    try:
        worker = processes.worker("confined")
        until(lambda: Match.objects.get().state == "finished", process=worker)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid()"
            )
            assert cursor.fetchall() == [(role,)]
        log = processes.log("confined")
    finally:
        processes.end()
    assert "permission denied" not in log
    assert "Traceback" not in log
    assert match.seed not in log
    assert [a.state for a in Attempt.objects.all()] == ["finished"]
    assert Play.objects.count() == 3
    assert Match.objects.get().archive.name.startswith("matches/")
    # Three versions entered when they were activated, and one match has been rated.
    assert RatingChange.objects.filter(kind="match").count() == 3
    assert set(Rating.objects.values_list("matches", flat=True)) == {1}
    assert not list(ledger.check(ladder))
    assert Worker.objects.get().tier != "none"


def test_the_role_renews_fails_hands_back_and_voids(role, ladder, worker):
    for _ in range(2):
        ladder_match(ladder, [entrant() for _ in range(3)])
    first, second = Match.objects.order_by("id")
    with this_process_as(role):
        claim = claimed(first)
        assert claim.match.seed == first.seed
        assert dispatch.renew(**ids(claim), play=0, decision=5)
        assert dispatch.hand_back(**ids(claim))
        for _ in range(3):
            claim = claimed(Match.objects.defer("seed").get(pk=second.pk))
            assert dispatch.fail(**ids(claim), reason="the disk is full")
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, first.attempt) == ("queued", 2)
    assert second.state == "void"


def test_the_role_reports_once_and_is_refused_a_result_with_another_seed(role, ladder, worker):
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    other = ladder_match(ladder, [entrant() for _ in range(3)])
    with this_process_as(role):
        claim, wrong = claimed(match), claimed(other)
        result = report(claim)
        assert dispatch.finish(**ids(claim), result=result).verdict == "accepted"
        assert dispatch.finish(**ids(claim), result=result).verdict == "repeated"
        seed, wrong.match.seed = wrong.match.seed, "11" * 32
        outcome = dispatch.finish(**ids(wrong), result=report(wrong))
    assert outcome.verdict == "refused"
    assert "its seed is not the match's" in outcome.reason
    assert seed not in outcome.reason
    assert other.seed == seed


def test_the_role_claims_and_stores_several_at_once(role, ladder, worker):
    matches = [ladder_match(ladder, [entrant() for _ in range(3)]) for _ in range(3)]
    wanted = [(match.pk, match.attempt) for match in matches]
    with this_process_as(role):
        claims = dispatch.claim_all(wanted=wanted, worker=Worker.objects.get())
        assert {claim.match.pk: claim.match.seed for claim in claims} == {
            match.pk: match.seed for match in matches
        }
        reports = [dispatch.Report(**ids(claim), result=report(claim)) for claim in claims]
        assert [outcome.verdict for outcome in dispatch.finish_all(reports)] == ["accepted"] * 3
    assert set(Match.objects.values_list("state", flat=True)) == {"finished"}
    assert not list(ledger.check(ladder))


def test_the_role_reads_nothing_of_people(session):
    user, _ = make_player()
    accounts.make_token(user=user, name="laptop", scopes=["read"])
    assert User.objects.exists()
    assert Token.objects.exists()
    for table in (
        "bots_user", "bots_token", "bots_membership", "bots_player", "bots_notice", "bots_act",
        "django_session", "django_admin_log",
    ):  # fmt: skip
        refused(session, f"SELECT * FROM {table}")
        refused(session, f"SELECT count(*) FROM {table}")
    for column in ("email", "password", "is_superuser"):
        refused(session, f"SELECT {column} FROM bots_user")
    refused(session, "SELECT sha256 FROM bots_token")
    # Of a version what playing needs, and not who uploaded it or what its check said.
    session.execute("SELECT sha256, package FROM bots_submission")
    for column in ("log", "reason", "uploaded_by_id"):
        refused(session, f"SELECT {column} FROM bots_submission")


def test_the_role_reads_no_seed_and_no_column_of_them_all(session, ladder, worker):
    played(ladder, [entrant() for _ in range(3)])
    for state in ("queued", "running"):
        ladder_match(ladder, [entrant() for _ in range(3)])
        Match.objects.filter(pk=Match.objects.latest("id").pk).update(state=state)
    session.execute("SELECT commitment FROM tournaments_match")
    refused(session, "SELECT seed FROM tournaments_match")
    refused(session, "SELECT * FROM tournaments_match")
    refused(session, "SELECT m FROM tournaments_match m")
    refused(session, "SELECT id FROM tournaments_match WHERE seed LIKE '0%'")
    refused(session, "UPDATE tournaments_match SET state = state RETURNING seed")
    refused(session, "COPY tournaments_match TO STDOUT")
    for kind in ("VIEW", "TABLE"):
        refused(session, f"CREATE {kind} public.seeds AS SELECT seed FROM tournaments_match")


ASK = "SELECT tournaments_claimed_seed(%s, %s, %s)"


def test_a_seed_is_given_for_the_claimed_match_alone(session, ladder, worker):
    matches = [ladder_match(ladder, [entrant() for _ in range(3)]) for _ in range(3)]
    claim = claimed(matches[0])
    # Somebody else has claimed the first: its row tells the token and the hash of the key.
    token, seed_key = session.execute("SELECT token, seed_key FROM tournaments_attempt").fetchone()
    assert token == claim.token
    for shown in (str(token), seed_key, ""):
        assert session.execute(ASK, [matches[0].pk, 1, shown]).fetchone() == (None,)
    # Nobody has claimed the second.
    assert session.execute(ASK, [matches[1].pk, 1, ""]).fetchone() == (None,)


def claim_by_hand(session, match, key):
    session.execute("UPDATE tournaments_match SET state = 'running' WHERE id = %s", [match.pk])
    session.execute(
        """INSERT INTO tournaments_attempt
               (match_id, number, state, token, seed_key, worker_id, tier, python, lease_until,
               play, decision, progress_at, progress_limit_s, result_sha256, outcome, started_at)
           SELECT %s, 1, 'running', gen_random_uuid(),
               encode(sha256(convert_to(%s, 'UTF8')), 'hex'), id, 'ns', '', now(),
               0, 0, now(), 9, '', '', now()
           FROM tournaments_worker""",
        [match.pk, key],
    )


def test_a_claim_that_is_taken_back_gives_no_seed(session, ladder, worker):
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    with session.transaction(force_rollback=True):
        claim_by_hand(session, match, "a key")
        with pytest.raises(InsufficientPrivilege, match="once its claim is committed"):
            session.execute(ASK, [match.pk, 1, "a key"])
    assert not Attempt.objects.exists()
    with session.transaction():
        claim_by_hand(session, match, "a key")
    assert session.execute(ASK, [match.pk, 1, "a key"]).fetchone() == (match.seed,)
    # What was claimed stays to be seen, and a key cannot be put on another's claim.
    refused(session, "DELETE FROM tournaments_attempt")
    refused(session, "UPDATE tournaments_attempt SET seed_key = 'x'")
    Attempt.objects.update(state="lost", ended_at=Now())
    assert session.execute(ASK, [match.pk, 1, "a key"]).fetchone() == (None,)


def test_the_role_changes_nothing_beyond_its_work(session, ladder, worker):
    played(ladder, [entrant() for _ in range(3)])
    for statement in (
        "UPDATE tournaments_match SET rated = false",
        "INSERT INTO tournaments_match (kind) VALUES ('test')",
        "DELETE FROM tournaments_match",
        "UPDATE tournaments_ratingchange SET mu = 100",
        "DELETE FROM tournaments_ratingchange",
        "DELETE FROM tournaments_rating",
        "UPDATE tournaments_rating SET listed = true",
        "UPDATE tournaments_play SET scores = '[]'",
        "UPDATE tournaments_ladder SET generation = 2",
        "UPDATE tournaments_worker SET paused = false",
        "UPDATE tournaments_worker SET draining = false",
        "UPDATE bots_submission SET state = 'qualified'",
        "UPDATE bots_bot SET active_id = NULL",
        "TRUNCATE tournaments_attempt CASCADE",
        "SELECT * FROM tournaments_bracket",
        "SET ROLE pg_read_all_data",
    ):
        refused(session, statement)


def test_the_command_renews_the_rights_and_finds_what_is_wrong(role):
    with connection.cursor() as cursor:
        cursor.execute(f'GRANT SELECT (email) ON bots_user TO "{role}"')
        cursor.execute(f'REVOKE UPDATE (state) ON tournaments_match FROM "{role}"')
        cursor.execute(f'GRANT DELETE ON tournaments_play TO "{role}"')
    with pytest.raises(CommandError) as wrong:
        call_command("worker_role", "--name", role, "--check", stdout=StringIO())
    assert "may SELECT bots_user.email" in str(wrong.value)
    assert "may not UPDATE tournaments_match.state" in str(wrong.value)
    assert "may DELETE tournaments_play.*" in str(wrong.value)
    said = StringIO()
    call_command("worker_role", "--name", role, stdout=said)
    assert "Renewed the role" in said.getvalue()
    assert not database_role.differences(role)


def test_rights_that_everybody_has_are_found_too(role):
    with connection.cursor() as cursor:
        cursor.execute("GRANT SELECT ON bots_token TO PUBLIC")
    try:
        assert "may SELECT bots_token.sha256" in database_role.differences(role)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("REVOKE ALL ON bots_token FROM PUBLIC")


def test_mighty_roles_and_the_owner_are_refused(role):
    owner = connection.settings_dict["USER"]
    with pytest.raises(CommandError, match="owns the tables"):
        call_command("worker_role", "--name", owner)
    with connection.cursor() as cursor:
        cursor.execute(f'GRANT pg_read_all_data TO "{role}"')
    with pytest.raises(CommandError, match="membership of pg_read_all_data"):
        call_command("worker_role", "--name", role)


def test_the_password_is_sent_and_kept_as_a_verifier(role, settings):
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [role])
        kept = cursor.fetchone()[0]
    assert kept.startswith("SCRAM-SHA-256$")
    assert PASSWORD not in kept


def test_who_may_not_make_roles_is_told_what_helps(role):
    with connection.cursor() as cursor:
        cursor.execute(f'SET ROLE "{role}"')
        try:
            with pytest.raises(CommandError, match="Let an administrator run CREATE ROLE"):
                call_command("worker_role", "--name", "another_one_of_ours")
        finally:
            cursor.execute("RESET ROLE")
