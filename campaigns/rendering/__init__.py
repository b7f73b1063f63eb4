"""Other people's documents as something that can be shown without harm. Text in, text out: no tables here."""
