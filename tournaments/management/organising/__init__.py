"""The verbs of `manage.py organise`, a file for each kind."""
