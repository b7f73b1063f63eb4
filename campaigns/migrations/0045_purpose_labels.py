from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0044_due_dates"),
    ]

    operations = [
        migrations.AlterField(
            model_name="claim",
            name="purpose",
            field=models.CharField(
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
        migrations.AlterField(
            model_name="postponement",
            name="purpose",
            field=models.CharField(
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
    ]
