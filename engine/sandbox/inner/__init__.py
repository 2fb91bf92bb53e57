"""What runs inside the launcher's own process, which every bot begins as a copy of.

These modules are read as text, handed to a bare interpreter and run there, so that the launcher
needs no file of ours and knows nothing of its worker. They use the standard library only.
"""
