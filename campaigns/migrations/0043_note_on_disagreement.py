from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0042_guideline_examples")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="note_on_disagreement",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
