import campaigns.models.campaign
import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0012_policy"),
        ("campaigns", "0014_guided"),
        ("campaigns", "0039_searched"),
        ("campaigns", "0043_note_on_disagreement"),
        ("campaigns", "0048_score_precision"),
        ("campaigns", "0051_unjudged_not_relevant"),
        ("campaigns", "0052_flags_within_one_topic"),
    ]
    dependencies = [("campaigns", "0001_collections"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Campaign",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=80, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("guidelines", models.TextField(blank=True, default="")),
                ("p", models.FloatField(default=0.8)),
                (
                    "score_precision",
                    models.PositiveSmallIntegerField(
                        choices=[(64, "64 bits, as in trec_eval 10.0"), (32, "32 bits, as in trec_eval up to 9.0.8")], db_default=64, default=64
                    ),
                ),
                (
                    "method",
                    models.CharField(
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
                        default="C",
                        max_length=20,
                    ),
                ),
                ("options", models.JSONField(blank=True, default=dict)),
                (
                    "scope",
                    models.CharField(choices=[("campaign", "whole campaign"), ("topic", "each topic by itself")], default="campaign", max_length=10),
                ),
                ("batch", models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)])),
                ("grades", models.JSONField(default=campaigns.models.campaign.three_grades)),
                ("anchors", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("relevant_from", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("unjudged_not_relevant", models.BooleanField(db_default=False, default=False)),
                ("min_judgments", models.PositiveIntegerField(default=40)),
                ("budget", models.PositiveIntegerField(blank=True, null=True)),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                (
                    "topic_choice",
                    models.CharField(
                        choices=[("free", "assigned, drawn or next in order, as each likes"), ("assigned", "only topics that were assigned")],
                        default="free",
                        max_length=10,
                    ),
                ),
                ("topic_method", models.CharField(blank=True, db_default="", default="", max_length=20)),
                ("topic_options", models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict)),
                ("topics_ahead", models.PositiveSmallIntegerField(db_default=2, default=2)),
                ("topics_first", models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list)),
                ("training_required", models.BooleanField(default=False)),
                ("development_required", models.BooleanField(default=False)),
                ("assessors_close", models.BooleanField(db_default=False, default=False)),
                ("search_judging", models.BooleanField(db_default=False, default=False)),
                ("note_on_disagreement", models.BooleanField(db_default=False, default=False)),
                ("shown_fields", models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list)),
                ("overlap_share", models.FloatField(default=0.0)),
                ("overlap_assessors", models.PositiveSmallIntegerField(default=2)),
                ("repeat_share", models.FloatField(default=0.0)),
                (
                    "policy",
                    models.CharField(
                        choices=[("adjudicated", "adjudicated"), ("latest", "latest"), ("majority", "majority"), ("mean", "mean")],
                        db_default="adjudicated",
                        default="adjudicated",
                        max_length=12,
                    ),
                ),
                ("exclusion_changes", models.PositiveIntegerField(db_default=0, default=0)),
                ("flag_judgments", models.PositiveIntegerField(db_default=20, default=20)),
                ("flag_seconds", models.FloatField(db_default=2.0, default=2.0)),
                ("flag_agreement", models.BooleanField(db_default=True, default=True)),
                ("flag_grades", models.FloatField(db_default=0.2, default=0.2)),
                ("flag_unread", models.FloatField(db_default=0.5, default=0.5)),
                ("seed", models.PositiveIntegerField(default=1)),
                (
                    "status",
                    models.CharField(
                        choices=[("draft", "draft"), ("open", "open"), ("paused", "paused"), ("closed", "closed")], default="draft", max_length=10
                    ),
                ),
                ("settled", models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list)),
                ("configuration", models.PositiveIntegerField(default=1)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("collection", models.ForeignKey(on_delete=models.PROTECT, related_name="campaigns", to="campaigns.collection")),
            ],
            options={
                "ordering": ["-created"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("p__gt", 0), ("p__lt", 1)), name="campaign_p_inside_0_1"),
                    models.CheckConstraint(condition=models.Q(("batch__gte", 1)), name="campaign_batch_positive"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("overlap_share__gte", 0), ("overlap_share__lte", 1), ("repeat_share__gte", 0), ("repeat_share__lte", 0.5)
                        ),
                        name="campaign_shares",
                    ),
                    models.CheckConstraint(condition=models.Q(("overlap_assessors__gte", 2)), name="campaign_overlap_of_two"),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogHead",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="log_head", serialize=False, to="campaigns.campaign"
                    ),
                ),
                ("length", models.PositiveIntegerField(default=0)),
                ("accepting", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("role", models.CharField(choices=[("organiser", "organiser"), ("assessor", "assessor")], max_length=10)),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("progress_mail", models.BooleanField(db_default=False, default=False)),
                ("trouble_mail", models.BooleanField(db_default=False, default=False)),
                ("quality_mail", models.BooleanField(db_default=True, default=True)),
                ("setup_step", models.CharField(blank=True, db_default="", default="", max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="memberships", to="campaigns.campaign")),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("user", "campaign"), name="one_membership")]},
        ),
    ]
