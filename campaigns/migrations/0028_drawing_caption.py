from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0027_document_collection")]

    operations = [
        migrations.AddField(
            model_name="drawing",
            name="caption",
            field=models.TextField(db_default=""),
        ),
        migrations.AddField(
            model_name="drawing", name="predicted_as_of", field=models.PositiveIntegerField(null=True)
        ),
    ]
