"""Means of projected scores beside those of base and residual.

Those of the last computation are made from its score ranges. Of snapshots the ranges are gone: a worker
that opens the campaign makes all of them again.
"""

import struct

from django.db import migrations, models
from django.db.models import Avg, F, FloatField
from django.db.models.expressions import ExpressionWrapper


def fill(apps, schema_editor):
    computed, interval = (apps.get_model("campaigns", name) for name in ("Computed", "Interval"))
    for row in computed.objects.exclude(runs=b"").iterator():
        runs = struct.unpack(f"<{len(row.runs) // 8}q", row.runs)
        each = ExpressionWrapper(F("base") / (1.0 - F("residual")), output_field=FloatField())
        begun = interval.objects.filter(run__campaign=row.campaign_id, residual__lt=1).order_by()
        means = dict(begun.values_list("run_id").annotate(mean=Avg(each)))
        row.projections = struct.pack(f"<{len(runs)}d", *(means.get(run, 1.0) for run in runs))
        row.save(update_fields=["projections"])


class Migration(migrations.Migration):

    dependencies = [
        ("campaigns", "0021_webhook_order"),
    ]

    operations = [
        migrations.AddField("computed", "projections", models.BinaryField(default=bytes)),
        migrations.AddField("snapshot", "projections", models.BinaryField(default=bytes)),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
