"""Studies: tables and figures of the papers, as trials on a collection whose relevance is known."""
