from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0020_tallies'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhook',
            name='sequence',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='webhook',
            name='slow',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='webhook',
            name='unreachable',
            field=models.BooleanField(default=False),
        ),
    ]
