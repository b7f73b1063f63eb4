from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0025_waiting_emails")]

    # Columns without a default: no table is rewritten.
    operations = [
        migrations.AddField("claim", "queue_age", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("claim", "served_at", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("claim", "weight_given_up", models.FloatField(blank=True, null=True)),
        migrations.AddField("judgment", "queue_age", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("judgment", "weight_given_up", models.FloatField(blank=True, null=True)),
    ]
