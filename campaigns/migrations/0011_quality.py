import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("campaigns", "0035_quality")]
    dependencies = [("campaigns", "0010_notifications"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("assessor", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="exclusions", to="campaigns.campaign")),
                ("excluded_by", models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("topic", models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name="+", to="campaigns.topic")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("campaign", "assessor", "topic"), name="one_exclusion", nulls_distinct=False)]},
        ),
        migrations.CreateModel(
            name="QrelsImport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first", models.PositiveIntegerField()),
                ("last", models.PositiveIntegerField()),
                ("file", models.TextField()),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="imports", to="campaigns.campaign")),
                ("imported_by", models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["first"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "first"), name="one_import_at_a_place"),
                    models.CheckConstraint(condition=models.Q(("last__gte", models.F("first"))), name="import_has_judgments"),
                ],
            },
        ),
        migrations.CreateModel(
            name="QualityFlag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("time", "time"),
                            ("agreement", "agreement"),
                            ("self", "self-agreement"),
                            ("grades", "grades"),
                            ("reading", "reading"),
                        ],
                        max_length=10,
                    ),
                ),
                ("figures", models.JSONField(default=dict)),
                ("as_of", models.PositiveIntegerField()),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                ("assessor", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="flags", to="campaigns.campaign")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("campaign", "assessor", "kind"), name="one_flag_of_a_kind")]},
        ),
    ]
