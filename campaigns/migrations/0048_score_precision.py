from django.db import migrations, models

CHOICES = [(64, "64 bits, as in trec_eval 10.0"), (32, "32 bits, as in trec_eval up to 9.0.8")]


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0047_lab_grades")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="score_precision",
            field=models.PositiveSmallIntegerField(choices=CHOICES, db_default=64, default=64),
        ),
        # Runs that are there were ordered by scores compared as 32-bit floats.
        migrations.AddField(
            model_name="run",
            name="score_precision",
            field=models.PositiveSmallIntegerField(choices=CHOICES, db_default=32, default=64),
        ),
    ]
