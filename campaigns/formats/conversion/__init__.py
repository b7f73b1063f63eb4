"""Conversion of tables and nested JSON to the lines that readers take, in a process of its own."""
