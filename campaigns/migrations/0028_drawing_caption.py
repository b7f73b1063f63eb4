from django.db import migrations, models


def delete_drawings(apps, schema_editor):
    """They can be drawn again, and show what the new ones do not."""
    apps.get_model("campaigns", "Drawing").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0027_document_collection")]

    operations = [
        migrations.AddField(
            model_name="drawing", name="caption", field=models.TextField(default="")
        ),
        migrations.AddField(
            model_name="drawing", name="predicted_as_of", field=models.PositiveIntegerField(null=True)
        ),
        migrations.RunPython(delete_drawings, migrations.RunPython.noop),
    ]
