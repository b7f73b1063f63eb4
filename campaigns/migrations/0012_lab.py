from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("campaigns", "0031_lab"), ("campaigns", "0047_lab_grades")]
    dependencies = [("campaigns", "0011_quality"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="LabCollection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("as_of", models.PositiveIntegerField(blank=True, null=True)),
                ("runs", models.JSONField(default=list)),
                ("topics", models.PositiveIntegerField()),
                ("documents", models.PositiveIntegerField()),
                ("judged", models.PositiveIntegerField()),
                ("gains", models.TextField(blank=True, default="")),
                ("notes", models.JSONField(default=list)),
                ("fingerprint", models.CharField(max_length=16)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name="lab_collections", to="campaigns.campaign"),
                ),
                ("owner", models.ForeignKey(on_delete=models.CASCADE, related_name="lab_collections", to=settings.AUTH_USER_MODEL)),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.CreateModel(
            name="LabJob",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("collection_name", models.CharField(max_length=200)),
                ("collection_gains", models.TextField(blank=True, default="")),
                ("study", models.CharField(max_length=60)),
                ("settings", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("paused", "Paused"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                            ("done", "Done"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True, default="")),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("wave", models.PositiveIntegerField(default=0)),
                ("seconds", models.FloatField(default=0)),
                ("longest", models.FloatField(default=0)),
                ("result", models.TextField(blank=True, default="")),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("campaign", models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name="lab_jobs", to="campaigns.campaign")),
                ("collection", models.ForeignKey(null=True, on_delete=models.SET_NULL, related_name="jobs", to="campaigns.labcollection")),
                ("owner", models.ForeignKey(on_delete=models.CASCADE, related_name="lab_jobs", to=settings.AUTH_USER_MODEL)),
            ],
            options={"ordering": ["-id"], "indexes": [models.Index(fields=["state"], name="lab_job_state")]},
        ),
        migrations.CreateModel(
            name="LabTopic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("number", models.CharField(max_length=100)),
                ("lengths", models.BinaryField()),
                ("documents", models.BinaryField()),
                ("scores", models.BinaryField()),
                ("gains", models.BinaryField()),
                ("unranked", models.BinaryField()),
                ("grades", models.BinaryField(null=True)),
                ("docnos", models.BinaryField()),
                ("collection", models.ForeignKey(on_delete=models.CASCADE, related_name="packed_topics", to="campaigns.labcollection")),
            ],
            options={
                "ordering": ["position"],
                "constraints": [models.UniqueConstraint(fields=("collection", "position"), name="lab_topic_position")],
            },
        ),
        migrations.CreateModel(
            name="LabTrial",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=64)),
                ("found", models.TextField(blank=True, default="")),
                ("seconds", models.FloatField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("job", models.ForeignKey(on_delete=models.CASCADE, related_name="trials", to="campaigns.labjob")),
            ],
            options={
                "indexes": [models.Index(condition=models.Q(("seconds", None)), fields=["job", "position"], name="lab_trial_left")],
                "constraints": [
                    models.UniqueConstraint(fields=("job", "position"), name="lab_trial_position"),
                    models.UniqueConstraint(fields=("job", "key"), name="lab_trial_key"),
                ],
            },
        ),
    ]
