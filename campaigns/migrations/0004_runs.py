import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("campaigns", "0005_withdrawn"), ("campaigns", "0017_loading")]
    dependencies = [("campaigns", "0003_topics"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Loading",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="loading", serialize=False, to="campaigns.campaign"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("qrels", models.BooleanField(default=False)),
                ("language", models.CharField(max_length=10)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running"), ("done", "Done"), ("refused", "Refused"), ("failed", "Failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("documents", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(blank=True, null=True)),
                ("taken", models.JSONField(blank=True, default=dict)),
                ("problem", models.JSONField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now)),
                ("asked_by", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tag", models.CharField(max_length=200)),
                ("group", models.CharField(blank=True, default="", max_length=200)),
                ("contributes_to_pool", models.BooleanField(default=True)),
                (
                    "score_precision",
                    models.PositiveSmallIntegerField(
                        choices=[(64, "64 bits, as in trec_eval 10.0"), (32, "32 bits, as in trec_eval up to 9.0.8")], db_default=32, default=64
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("noticed", models.JSONField(default=list)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="runs", to="campaigns.campaign")),
                ("uploaded_by", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={"ordering": ["id"], "constraints": [models.UniqueConstraint(fields=("campaign", "tag"), name="run_tag")]},
        ),
        migrations.CreateModel(
            name="Ranking",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("documents", models.BinaryField()),
                ("scores", models.BinaryField()),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="rankings", to="campaigns.topic")),
                ("run", models.ForeignKey(on_delete=models.CASCADE, related_name="rankings", to="campaigns.run")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("topic", "run"), name="ranking_of_run_and_topic")]},
        ),
    ]
