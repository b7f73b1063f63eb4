from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0055_log_privileges")]

    # Columns that rewrite no table. The worker fills the first afterwards, in batches.
    operations = [
        migrations.AddField("document", "html", models.TextField(editable=False, null=True)),
        migrations.AddField("collection", "unread_until", models.IntegerField(db_default=0, default=0)),
        # The primary key's index answers this at once, however many documents there are.
        migrations.RunSQL(
            "UPDATE campaigns_collection"
            " SET unread_until = (SELECT coalesce(max(id), 0) FROM campaigns_document)",
            migrations.RunSQL.noop,
        ),
    ]
