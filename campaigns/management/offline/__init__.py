"""Common ground of the commands on files: options, reading, scoring, output."""

# `manage.py` runs them without Django, and so does the library's program `judged`.
FILE_COMMANDS = {
    "evaluate": "score runs, with bounds",
    "compare": "test which runs differ",
    "simulate": "replay a campaign against known qrels",
    "next_documents": "show which documents to judge next",
    "select_topics": "order topics for judging",
    "study": "make a table and figure of a paper again",
    "plan": "estimate the judgments still to make",
    "calibrate": "test statements of uncertainty on replays",
}
