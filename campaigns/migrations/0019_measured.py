import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Measures of a campaign's own, and every run's scores by them."""

    dependencies = [("campaigns", "0018_method_strata")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="measures",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.CreateModel(
            name="Measured",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="measured",
                        serialize=False,
                        to="campaigns.campaign",
                    ),
                ),
                ("content", models.JSONField(default=dict)),
                ("runs", models.BinaryField(default=bytes)),
                ("pairs", models.BinaryField(default=bytes)),
                ("as_of", models.PositiveIntegerField()),
                ("configuration", models.PositiveIntegerField()),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
    ]
