"""What packages may use of moot beside ``moot`` itself; ``docs/packages.md`` lists it.

Each module gathers names by their use. A name stays here, wherever its code moves.
"""
