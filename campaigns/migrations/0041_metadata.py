from django.db import migrations, models
from django.db.models import Value


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0040_questions")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="shown_fields",
            field=models.JSONField(blank=True, db_default=Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            model_name="collection",
            name="metadata_fields",
            field=models.JSONField(blank=True, db_default=Value([], models.JSONField()), default=list),
        ),
        # A constant default: Postgres keeps it beside the table, whose rows stay as they are.
        migrations.AddField(
            model_name="document",
            name="metadata",
            field=models.JSONField(blank=True, db_default=Value({}, models.JSONField()), default=dict),
        ),
    ]
