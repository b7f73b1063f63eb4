from django.db import migrations

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
    dependencies = [("campaigns", "0052_flags_within_one_topic")]

    operations = [
        migrations.RunSQL(DELETE_LOG, "DROP FUNCTION campaigns_delete_log"),
        migrations.RunSQL(FORGET_PERSON, "DROP FUNCTION campaigns_forget_person"),
        migrations.RunSQL(RESTRICT, "DROP FUNCTION campaigns_restrict_log"),
    ]
