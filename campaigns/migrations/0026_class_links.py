from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0025_engines")]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="sealed",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
