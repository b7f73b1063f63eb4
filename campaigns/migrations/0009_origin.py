from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0008_history_indexes")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="origin",
            field=models.IntegerField(db_default=0, default=0),
        ),
    ]
