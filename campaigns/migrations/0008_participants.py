from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("campaigns", "0036_participants")]
    dependencies = [("campaigns", "0007_log"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="HandIn",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="hand_in", serialize=False, to="campaigns.campaign"
                    ),
                ),
                ("deadline", models.DateTimeField(blank=True, null=True)),
                ("most_runs", models.PositiveSmallIntegerField(default=3)),
                ("scores_released_at", models.DateTimeField(blank=True, null=True)),
                (
                    "leaderboard",
                    models.CharField(
                        choices=[("none", "None"), ("participants", "Participants"), ("public", "Public")], default="none", max_length=12
                    ),
                ),
                ("anonymous", models.BooleanField(default=False)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="teams", to="campaigns.campaign")),
            ],
            options={"ordering": ["name"], "constraints": [models.UniqueConstraint(fields=("campaign", "name"), name="team_name")]},
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tag", models.CharField(max_length=200)),
                ("priority", models.PositiveSmallIntegerField()),
                ("description", models.TextField(blank=True, default="")),
                ("file_name", models.CharField(max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("bytes", models.PositiveBigIntegerField()),
                ("topics", models.PositiveIntegerField()),
                ("lines", models.PositiveIntegerField()),
                ("noticed", models.JSONField(default=list)),
                ("handed_in_at", models.DateTimeField()),
                (
                    "ended",
                    models.CharField(
                        blank=True, choices=[("", "None"), ("replaced", "Replaced"), ("withdrawn", "Withdrawn")], default="", max_length=10
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("handed_in_by", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("run", models.OneToOneField(blank=True, null=True, on_delete=models.SET_NULL, related_name="submission", to="campaigns.run")),
                ("team", models.ForeignKey(on_delete=models.CASCADE, related_name="submissions", to="campaigns.team")),
            ],
            options={
                "ordering": ["team__name", "priority", "id"],
                "constraints": [
                    models.UniqueConstraint(condition=models.Q(("ended_at", None)), fields=("team", "priority"), name="submission_priority"),
                    models.UniqueConstraint(condition=models.Q(("ended_at", None)), fields=("team", "tag"), name="submission_tag"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="participants", to="campaigns.campaign")),
                ("team", models.ForeignKey(on_delete=models.CASCADE, related_name="members", to="campaigns.team")),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="team_places", to=settings.AUTH_USER_MODEL)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("user", "campaign"), name="one_team")]},
        ),
        migrations.CreateModel(
            name="SubmissionPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("submission", models.ForeignKey(on_delete=models.CASCADE, related_name="parts", to="campaigns.submission")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("submission", "number"), name="submission_part")]},
        ),
    ]
