from django.db import migrations


class Migration(migrations.Migration):
    """Index all texts again: words of scripts without blanks by pairs of letters, all others without accents."""

    dependencies = [
        ("campaigns", "0015_document_revisions"),
    ]

    operations = [
        migrations.RunSQL("UPDATE campaigns_collection SET indexed_until = 0", migrations.RunSQL.noop),
    ]
