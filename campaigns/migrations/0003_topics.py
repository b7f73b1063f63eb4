from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("campaigns", "0030_topic_order"), ("campaigns", "0037_topic_completions")]
    dependencies = [("campaigns", "0002_campaigns"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Topic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.CharField(max_length=100)),
                ("title", models.TextField(blank=True, default="")),
                ("description", models.TextField(blank=True, default="")),
                ("narrative", models.TextField(blank=True, default="")),
                ("position", models.PositiveIntegerField()),
                ("revision", models.PositiveIntegerField(default=1)),
                (
                    "method",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("pooling", "Pooling"),
                            ("A", "Method A"),
                            ("B", "Method B"),
                            ("C", "Method C"),
                            ("mtc", "MTC"),
                            ("statap", "statAP sample"),
                            ("mtc+statap", "MTC and statAP, alternating"),
                            ("mtf", "Move-to-front"),
                            ("hedge", "Hedge"),
                            ("maxmean", "MaxMean"),
                            ("mm-ns", "MM-NS"),
                            ("random", "Random"),
                            ("cal", "CAL"),
                        ],
                        default="",
                        max_length=20,
                    ),
                ),
                ("options", models.JSONField(blank=True, default=dict)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "release",
                    models.CharField(
                        choices=[("released", "released"), ("waiting", "waiting"), ("held", "held back")],
                        db_default="released",
                        default="released",
                        max_length=8,
                    ),
                ),
                ("released_at", models.DateTimeField(blank=True, null=True)),
                ("release_reason", models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="topics", to="campaigns.campaign")),
                ("closed_by", models.ForeignKey(blank=True, null=True, on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("developed_by", models.ForeignKey(blank=True, null=True, on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="topic_number"),
                    models.UniqueConstraint(deferrable=models.Deferrable.DEFERRED, fields=("campaign", "position"), name="topic_position"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TopicAssignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("assessor", models.ForeignKey(on_delete=models.CASCADE, related_name="topic_assignments", to=settings.AUTH_USER_MODEL)),
                ("assigned_by", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="assignments", to="campaigns.topic")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("topic", "assessor"), name="one_assignment")]},
        ),
        migrations.CreateModel(
            name="TopicCompletion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("assessor", models.ForeignKey(on_delete=models.CASCADE, related_name="topic_completions", to=settings.AUTH_USER_MODEL)),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="completions", to="campaigns.topic")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("topic", "assessor"), name="one_completion")]},
        ),
        migrations.CreateModel(
            name="TopicRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("revision", models.PositiveIntegerField()),
                ("title", models.TextField(blank=True, default="")),
                ("description", models.TextField(blank=True, default="")),
                ("narrative", models.TextField(blank=True, default="")),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("author", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="revisions", to="campaigns.topic")),
            ],
            options={"ordering": ["revision"], "constraints": [models.UniqueConstraint(fields=("topic", "revision"), name="topic_revision")]},
        ),
    ]
