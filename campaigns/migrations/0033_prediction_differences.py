from django.db import migrations, models
from django.db.models import Value


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0032_counterfactual")]

    operations = [
        migrations.AddField(
            model_name="prediction",
            name="differences",
            field=models.BinaryField(default=bytes, db_default=Value(b"")),
        ),
    ]
