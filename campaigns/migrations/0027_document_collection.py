import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0026_queue_age")]

    # Drops a constraint, and neither reads nor rewrites the table.
    operations = [
        migrations.AlterField(
            "document",
            "collection",
            models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="documents",
                to="campaigns.collection",
            ),
        ),
    ]
