"""From the document an assessor asks for to the judgment in the log, and the next document."""
