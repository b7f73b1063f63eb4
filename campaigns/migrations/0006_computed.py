import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0002_methods"),
        ("campaigns", "0011_drawing"),
        ("campaigns", "0013_outlook"),
        ("campaigns", "0020_tallies"),
        ("campaigns", "0022_projections"),
        ("campaigns", "0023_predictions"),
        ("campaigns", "0028_drawing_caption"),
        ("campaigns", "0032_counterfactual"),
        ("campaigns", "0033_prediction_differences"),
        ("campaigns", "0049_drop_probe_share"),
        ("campaigns", "0050_anchors"),
    ]
    dependencies = [("campaigns", "0005_judgments")]

    operations = [
        migrations.CreateModel(
            name="Advice",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name="advice", serialize=False, to="campaigns.campaign"),
                ),
                ("content", models.JSONField(default=dict)),
                ("as_of", models.PositiveIntegerField()),
                ("configuration", models.PositiveIntegerField()),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Computed",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="computed", serialize=False, to="campaigns.campaign"
                    ),
                ),
                ("applied", models.PositiveIntegerField(default=0)),
                ("configuration", models.PositiveIntegerField(default=0)),
                ("judged", models.PositiveIntegerField(default=0)),
                ("relevant", models.PositiveIntegerField(default=0)),
                ("runs", models.BinaryField(default=bytes)),
                ("bases", models.BinaryField(default=bytes)),
                ("residuals", models.BinaryField(default=bytes)),
                ("projections", models.BinaryField(default=bytes)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Counterfactual",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="counterfactual", serialize=False, to="campaigns.campaign"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("running", "running"), ("done", "done"), ("failed", "failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("method", models.CharField(max_length=20)),
                ("reason", models.TextField(blank=True, default="")),
                ("content", models.JSONField(default=dict)),
                ("actual", models.TextField(blank=True, default="")),
                ("other", models.TextField(blank=True, default="")),
                ("as_of", models.PositiveIntegerField(default=0)),
                ("configuration", models.PositiveIntegerField()),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Outlook",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="outlook", serialize=False, to="campaigns.campaign"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("running", "running"), ("done", "done"), ("failed", "failed")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("content", models.JSONField(default=dict)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("configuration", models.PositiveIntegerField()),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Prediction",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="prediction", serialize=False, to="campaigns.campaign"
                    ),
                ),
                ("content", models.JSONField(default=dict)),
                ("runs", models.BinaryField(default=bytes)),
                ("pairs", models.BinaryField(default=bytes)),
                ("judged_pairs", models.BinaryField(default=bytes)),
                ("differences", models.BinaryField(db_default=models.Value(b""), default=bytes)),
                ("experience", models.JSONField(null=True)),
                ("as_of", models.PositiveIntegerField()),
                ("configuration", models.PositiveIntegerField()),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Priority",
            fields=[
                (
                    "topic",
                    models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name="priority", serialize=False, to="campaigns.topic"),
                ),
                ("documents", models.BinaryField()),
                ("weights", models.BinaryField()),
                ("inclusion", models.BinaryField(null=True)),
                ("sources", models.JSONField(null=True)),
                ("method", models.CharField(default="", max_length=20)),
                ("remaining", models.PositiveIntegerField()),
                ("pool_size", models.PositiveIntegerField()),
                ("best_weight", models.FloatField()),
                ("as_of", models.PositiveIntegerField()),
                ("configuration", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Sample",
            fields=[
                (
                    "topic",
                    models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name="sample", serialize=False, to="campaigns.topic"),
                ),
                ("documents", models.BinaryField()),
                ("inclusion", models.BinaryField()),
                ("buckets", models.BinaryField()),
                ("masses", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("seed", models.PositiveIntegerField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="TopicOrder",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="topic_order", serialize=False, to="campaigns.campaign"
                    ),
                ),
                ("content", models.JSONField(default=dict)),
                ("inputs", models.CharField(max_length=64)),
                ("as_of", models.PositiveIntegerField()),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Anchor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("place", models.PositiveSmallIntegerField()),
                ("seed", models.PositiveIntegerField()),
                ("as_of", models.PositiveIntegerField()),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("document", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="campaigns.document")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="anchors", to="campaigns.topic")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("topic", "document"), name="one_anchor")]},
        ),
        migrations.CreateModel(
            name="Drawing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("kind", models.CharField(max_length=10)),
                ("content", models.BinaryField()),
                ("caption", models.TextField(db_default="")),
                ("as_of", models.PositiveIntegerField()),
                ("predicted_as_of", models.PositiveIntegerField(null=True)),
                ("configuration", models.PositiveIntegerField()),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="drawings", to="campaigns.campaign")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("campaign", "name", "kind"), name="one_drawing")]},
        ),
        migrations.CreateModel(
            name="Interval",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("base", models.FloatField()),
                ("residual", models.FloatField()),
                ("as_of", models.PositiveIntegerField()),
                ("run", models.ForeignKey(on_delete=models.CASCADE, related_name="intervals", to="campaigns.run")),
                ("topic", models.ForeignKey(on_delete=models.CASCADE, related_name="intervals", to="campaigns.topic")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("run", "topic"), name="interval_of_run_and_topic")]},
        ),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("as_of", models.PositiveIntegerField()),
                ("judged", models.PositiveIntegerField()),
                ("runs", models.BinaryField()),
                ("bases", models.BinaryField()),
                ("residuals", models.BinaryField()),
                ("projections", models.BinaryField(default=bytes)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="snapshots", to="campaigns.campaign")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("campaign", "as_of"), name="snapshot_as_of")]},
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=10)),
                ("rule", models.TextField()),
                ("as_of", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="tallies", to="campaigns.campaign")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("campaign", "kind"), name="one_tally_of_a_kind")]},
        ),
    ]
