import django.core.serializers.json
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# Called by the owner of the tables after each `migrate`: other roles that may add to the log may do no more,
# but for what the functions below do.
RESTRICT = """
CREATE FUNCTION campaigns_restrict_log() RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE serving regrole;
BEGIN
  -- A restored database has lost this.
  REVOKE ALL ON FUNCTION campaigns_delete_log(bigint),
    campaigns_forget_person(bigint, text, text, text[], boolean) FROM PUBLIC;
  FOR serving IN
    SELECT DISTINCT granted.grantee::regrole FROM pg_class, aclexplode(relacl) granted
    WHERE pg_class.oid = 'campaigns_judgment'::regclass AND granted.grantee NOT IN (0, relowner)
      AND granted.privilege_type = 'INSERT'
  LOOP
    EXECUTE format('REVOKE ALL ON campaigns_judgment, campaigns_repeat, campaigns_deed FROM %s', serving);
    EXECUTE format('GRANT SELECT, INSERT ON campaigns_judgment, campaigns_repeat, campaigns_deed TO %s', serving);
    EXECUTE format('GRANT EXECUTE ON FUNCTION campaigns_delete_log(bigint), '
      'campaigns_forget_person(bigint, text, text, text[], boolean) TO %s', serving);
    -- An import counts this one on.
    EXECUTE format('GRANT UPDATE ON SEQUENCE %s TO %s',
      pg_get_serial_sequence('campaigns_document', 'id'), serving);
  END LOOP;
END $$
"""

# The last step of a campaign's deletion. That nothing is left of it is checked at once, so no log goes alone.
DELETE_LOG = """
CREATE FUNCTION campaigns_delete_log(campaign bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM campaigns_repeat WHERE campaign_id = campaign;
  DELETE FROM campaigns_judgment WHERE campaign_id = campaign;
  DELETE FROM campaigns_deed WHERE campaign_id = campaign;
  DELETE FROM campaigns_campaign WHERE id = campaign;
  SET CONSTRAINTS ALL IMMEDIATE;
  SET CONSTRAINTS ALL DEFERRED;
END $$ ;
REVOKE ALL ON FUNCTION campaigns_delete_log(bigint) FROM PUBLIC
"""

# A person's name and address in the history. `keys`: under which the details hold names. `gone`: the account
# is deleted, too.
FORGET_PERSON = """
CREATE FUNCTION campaigns_forget_person(person bigint, address text, pseudonym text, keys text[], gone boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE account text := (SELECT username FROM auth_user WHERE id = person);
BEGIN
  IF account IS NULL OR pseudonym !~ '^person-[0-9a-f]{8}$' THEN
    RAISE EXCEPTION 'no account % to replace by %', person, pseudonym;
  END IF;
  UPDATE campaigns_deed SET actor_name = pseudonym WHERE actor_id = person OR actor_name = account;
  IF gone THEN
    UPDATE campaigns_deed SET actor_id = NULL WHERE actor_id = person;
  END IF;
  UPDATE campaigns_deed SET detail = (
    SELECT jsonb_object_agg(key, CASE
      WHEN key = ANY (keys) AND value = to_jsonb(account) THEN to_jsonb(pseudonym)
      WHEN key = 'dealt' AND jsonb_typeof(value) = 'object' AND jsonb_exists(value, account)
        THEN (value - account) || jsonb_build_object(pseudonym, value -> account)
      WHEN key = 'address' AND address <> '' AND lower(value #>> '{}') = lower(address) THEN '""'
      ELSE value END)
    FROM jsonb_each(detail))
  WHERE jsonb_exists(detail -> 'dealt', account)
    OR (address <> '' AND lower(detail ->> 'address') = lower(address))
    OR EXISTS (SELECT FROM unnest(keys) key WHERE detail -> key = to_jsonb(account));
END $$ ;
REVOKE ALL ON FUNCTION campaigns_forget_person(bigint, text, text, text[], boolean) FROM PUBLIC
"""


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0006_history"),
        ("campaigns", "0008_history_indexes"),
        ("campaigns", "0055_log_privileges"),
    ]
    dependencies = [("campaigns", "0006_computed"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Heartbeat", fields=[("name", models.CharField(max_length=100, primary_key=True, serialize=False)), ("at", models.DateTimeField())]
        ),
        migrations.CreateModel(
            name="Deed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("actor_name", models.CharField(max_length=150)),
                ("kind", models.CharField(max_length=40)),
                ("detail", models.JSONField(blank=True, default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("after", models.PositiveIntegerField(default=0)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("actor", models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="deeds", to="campaigns.campaign")),
            ],
            options={"indexes": [models.Index(fields=["campaign", "-after", "-id"], name="deed_place")]},
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20)),
                ("data", models.JSONField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="events", to="campaigns.campaign")),
            ],
            options={"indexes": [models.Index(fields=["campaign", "id"], name="event_catch_up")]},
        ),
        migrations.RunSQL(DELETE_LOG, "DROP FUNCTION campaigns_delete_log"),
        migrations.RunSQL(FORGET_PERSON, "DROP FUNCTION campaigns_forget_person"),
        migrations.RunSQL(RESTRICT, "DROP FUNCTION campaigns_restrict_log"),
    ]
