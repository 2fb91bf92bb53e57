"""The seed of a match for whoever has claimed it: how a worker whose database role cannot read the
column gets the one that it needs.

The function gives a seed only for a running attempt, to who shows the key whose SHA-256 the attempt
carries. Roles that may read the column anyway are not asked for more. Another role gets nothing in
a transaction that has changed anything: it could claim, read and roll the claim back.
"""

from django.db import migrations, models

CREATE = """
DO $install$ BEGIN EXECUTE format($statement$
CREATE OR REPLACE FUNCTION %1$I.tournaments_claimed_seed(of_match bigint, of_attempt integer, key text)
RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = %1$I, pg_temp AS $body$
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL
        AND NOT has_column_privilege(session_user, 'tournaments_match', 'seed', 'SELECT')
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = 'the seed of a match is given once its claim is committed',
            HINT = 'Ask outside of the transaction that claims the match.';
    END IF;
    RETURN (
        SELECT m.seed FROM tournaments_attempt a JOIN tournaments_match m ON m.id = a.match_id
        WHERE a.match_id = of_match AND a.number = of_attempt AND m.attempt = of_attempt
            AND a.state = 'running' AND m.state = 'running'
            AND a.seed_key = encode(sha256(convert_to(key, 'UTF8')), 'hex')
    );
END
$body$
$statement$, current_schema()); END $install$;
REVOKE ALL ON FUNCTION tournaments_claimed_seed(bigint, integer, text) FROM PUBLIC;
"""
DROP = "DROP FUNCTION IF EXISTS tournaments_claimed_seed(bigint, integer, text);"


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0002_seasons_and_stages'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='seed_key',
            field=models.CharField(blank=True, db_default='', help_text="SHA-256 of what opens the match's seed", max_length=64),
        ),
        migrations.RunSQL(CREATE, DROP),
    ]
