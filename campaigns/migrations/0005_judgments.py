import django.contrib.postgres.indexes
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0003_assessing"),
        ("campaigns", "0004_postponed"),
        ("campaigns", "0007_overlap"),
        ("campaigns", "0026_queue_age"),
        ("campaigns", "0038_annotations"),
        ("campaigns", "0040_questions"),
        ("campaigns", "0042_guideline_examples"),
        ("campaigns", "0045_purpose_labels"),
    ]
    dependencies = [("campaigns", "0004_runs"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Judgment",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("sequence", models.PositiveIntegerField()),
                ("grade", models.SmallIntegerField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, default="", max_length=200)),
                ("undo", models.BooleanField(default=False)),
                ("adjudication", models.BooleanField(db_default=False, default=False)),
                ("milliseconds", models.PositiveIntegerField(blank=True, null=True)),
                ("seen", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("method", models.CharField(blank=True, default="", max_length=20)),
                ("served_exactly", models.BooleanField(null=True)),
                ("queue_age", models.PositiveIntegerField(blank=True, null=True)),
                ("weight_given_up", models.FloatField(blank=True, null=True)),
                ("inclusion_probability", models.FloatField(blank=True, null=True)),
                ("stale_claim", models.BooleanField(default=False)),
                ("topic_revision", models.PositiveIntegerField(default=1)),
                ("created", models.DateTimeField()),
                ("assessor", models.ForeignKey(on_delete=models.PROTECT, related_name="judgments", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=models.PROTECT, related_name="judgments", to="campaigns.campaign")),
                ("document", models.ForeignKey(on_delete=models.PROTECT, related_name="judgments", to="campaigns.document")),
                ("supersedes", models.ForeignKey(blank=True, null=True, on_delete=models.PROTECT, related_name="+", to="campaigns.judgment")),
                ("topic", models.ForeignKey(on_delete=models.PROTECT, related_name="judgments", to="campaigns.topic")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["topic", "document", "assessor", "-sequence"], name="judgment_current"),
                    models.Index(fields=["topic", "-sequence"], name="judgment_topic_head"),
                    models.Index(fields=["assessor", "topic", "-sequence"], name="judgment_history"),
                    models.Index(condition=models.Q(("grade__isnull", True)), fields=["campaign", "sequence"], name="judgment_gradeless"),
                    django.contrib.postgres.indexes.BrinIndex(autosummarize=True, fields=["created"], name="judgment_day"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "sequence"), name="judgment_sequence"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("grade__isnull", False), ("reason", ""), ("undo", False)),
                            models.Q(("grade__isnull", True), ("undo", False), models.Q(("reason", ""), _negated=True)),
                            models.Q(("grade__isnull", True), ("reason", ""), ("undo", True)),
                            _connector="OR",
                        ),
                        name="judgment_is_one_of_grade_reason_undo",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Postponement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("method", models.CharField(blank=True, db_default="", default="", max_length=20)),
                ("exact", models.BooleanField(null=True)),
                ("inclusion_probability", models.FloatField(blank=True, null=True)),
                (
                    "purpose",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "to be judged"),
                            ("overlap", "judged by several assessors"),
                            ("repeat", "shown again to the same assessor, unannounced"),
                        ],
                        db_default="",
                        default="",
                        max_length=10,
                    ),
                ),
                ("assessor", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.topic")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("assessor", "topic", "document"), name="one_postponement")]},
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("text", models.TextField()),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("answer", models.TextField(blank=True, default="")),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                ("answered_by", models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("assessor", models.ForeignKey(on_delete=models.PROTECT, related_name="questions", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="questions", to="campaigns.campaign")),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.topic")),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("answered_at", None)), fields=["campaign"], name="question_open"),
                    models.Index(fields=["assessor", "campaign"], name="question_assessor"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Repeat",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("grade", models.SmallIntegerField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, default="", max_length=200)),
                ("undo", models.BooleanField(db_default=False, default=False)),
                ("milliseconds", models.PositiveIntegerField(blank=True, null=True)),
                ("created", models.DateTimeField()),
                ("assessor", models.ForeignKey(on_delete=models.PROTECT, related_name="repeats", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=models.PROTECT, related_name="repeats", to="campaigns.campaign")),
                ("document", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to="campaigns.document")),
                ("first", models.ForeignKey(on_delete=models.PROTECT, related_name="repeats", to="campaigns.judgment")),
                ("topic", models.ForeignKey(on_delete=models.PROTECT, related_name="repeats", to="campaigns.topic")),
            ],
            options={
                "indexes": [models.Index(fields=["topic", "assessor", "document", "-created"], name="repeat_current")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("grade__isnull", False), ("reason", ""), ("undo", False)),
                            models.Q(("grade__isnull", True), ("undo", False), models.Q(("reason", ""), _negated=True)),
                            models.Q(("grade__isnull", True), ("reason", ""), ("undo", True)),
                            _connector="OR",
                        ),
                        name="repeat_is_one_of_grade_reason_undo",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TrainingItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("grade", models.SmallIntegerField()),
                ("reason", models.TextField(blank=True, default="")),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="training_items", to="campaigns.campaign")),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.topic")),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "document"), name="training_item"),
                    models.UniqueConstraint(deferrable=models.Deferrable.DEFERRED, fields=("campaign", "position"), name="training_position"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TrainingAnswer",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("attempt", models.PositiveIntegerField(default=1)),
                ("grade", models.SmallIntegerField()),
                ("milliseconds", models.PositiveIntegerField(blank=True, null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("assessor", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("item", models.ForeignKey(on_delete=models.CASCADE, related_name="answers", to="campaigns.trainingitem")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("item", "assessor", "attempt"), name="one_training_answer")]},
        ),
        migrations.CreateModel(
            name="Annotation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("note", models.TextField(blank=True, default="")),
                ("passages", models.JSONField(blank=True, default=list)),
                ("created", models.DateTimeField()),
                ("assessor", models.ForeignKey(on_delete=models.PROTECT, related_name="annotations", to=settings.AUTH_USER_MODEL)),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="annotations", to="campaigns.topic")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["topic", "document", "assessor", "-created"], name="annotation_current"),
                    models.Index(fields=["assessor", "topic"], name="annotation_assessor"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("expires_at", models.DateTimeField()),
                ("created", models.DateTimeField()),
                ("method", models.CharField(blank=True, default="", max_length=20)),
                ("exact", models.BooleanField(null=True)),
                ("queue_age", models.PositiveIntegerField(blank=True, null=True)),
                ("served_at", models.PositiveIntegerField(blank=True, null=True)),
                ("weight_given_up", models.FloatField(blank=True, null=True)),
                ("inclusion_probability", models.FloatField(blank=True, null=True)),
                (
                    "purpose",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "to be judged"),
                            ("overlap", "judged by several assessors"),
                            ("repeat", "shown again to the same assessor, unannounced"),
                        ],
                        db_default="",
                        default="",
                        max_length=10,
                    ),
                ),
                ("reserved", models.BooleanField(db_default=False, default=False)),
                ("recalled", models.BooleanField(default=False)),
                ("lookahead", models.JSONField(blank=True, null=True)),
                ("lookahead_as_of", models.PositiveIntegerField(blank=True, null=True)),
                ("lookahead_configuration", models.PositiveIntegerField(blank=True, null=True)),
                ("assessor", models.ForeignKey(on_delete=models.CASCADE, related_name="claims", to=settings.AUTH_USER_MODEL)),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="claims", to="campaigns.topic")),
            ],
            options={
                "indexes": [models.Index(fields=["assessor", "topic"], name="claim_assessor")],
                "constraints": [models.UniqueConstraint(fields=("topic", "document"), name="one_claim")],
            },
        ),
        migrations.CreateModel(
            name="GuidelineExample",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("grade", models.SmallIntegerField()),
                ("reason", models.TextField(blank=True, default="")),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="guideline_examples", to="campaigns.campaign")),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name="+", to="campaigns.topic")),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "document"), name="guideline_example"),
                    models.UniqueConstraint(
                        condition=models.Q(("topic__isnull", True)), fields=("campaign", "document"), name="guideline_example_of_all_topics"
                    ),
                    models.UniqueConstraint(
                        deferrable=models.Deferrable.DEFERRED, fields=("campaign", "position"), name="guideline_example_position"
                    ),
                ],
            },
        ),
    ]
