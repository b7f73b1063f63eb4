import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0041_metadata")]

    operations = [
        migrations.CreateModel(
            name="GuidelineExample",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("grade", models.SmallIntegerField()),
                ("reason", models.TextField(blank=True, default="")),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guideline_examples",
                        to="campaigns.campaign",
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="campaigns.document",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="campaigns.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "document"), name="guideline_example"),
                    models.UniqueConstraint(
                        condition=models.Q(("topic__isnull", True)),
                        fields=("campaign", "document"),
                        name="guideline_example_of_all_topics",
                    ),
                    models.UniqueConstraint(
                        deferrable=models.Deferrable["DEFERRED"],
                        fields=("campaign", "position"),
                        name="guideline_example_position",
                    ),
                ],
            },
        ),
    ]
