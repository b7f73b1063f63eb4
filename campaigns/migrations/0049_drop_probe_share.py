from django.db import migrations

# Queues that held probes are computed again; an archived campaign's are when it is restored and judged.
REQUEUE = """
UPDATE campaigns_campaign c SET configuration = configuration + 1
WHERE archived_at IS NULL AND (
  (options ->> 'probe_share')::float8 > 0 OR EXISTS (
    SELECT FROM campaigns_topic t WHERE t.campaign_id = c.id AND (t.options ->> 'probe_share')::float8 > 0))
"""
DROP = """
UPDATE campaigns_campaign SET options = options - 'probe_share' WHERE jsonb_exists(options, 'probe_share');
UPDATE campaigns_topic SET options = options - 'probe_share' WHERE jsonb_exists(options, 'probe_share');
"""


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0048_score_precision")]

    operations = [
        migrations.RunSQL(REQUEUE, migrations.RunSQL.noop),
        migrations.RunSQL(DROP, migrations.RunSQL.noop),
    ]
