"""Brackets and seasons as files: TRF for other chess programs, CSV for spreadsheets, JSON for all.

What reads and writes text is pure; thin loaders beside it take rows from the database and make
drafts of what was read.
"""
