from django.db import migrations


class Migration(migrations.Migration):
    """Index all texts again: the words of emails, URLs and paths are indexed separately."""

    dependencies = [
        ("campaigns", "0013_judge_later_measured"),
    ]

    operations = [
        migrations.RunSQL("UPDATE campaigns_collection SET indexed_until = 0", migrations.RunSQL.noop),
    ]
