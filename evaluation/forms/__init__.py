"""The forms that names of measures have, and the measures that they make."""
