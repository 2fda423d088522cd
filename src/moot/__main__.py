"""``python -m moot``, and the command ``moot``."""

import signal
from importlib import import_module


def main() -> None:
    """Run the command line. Ctrl-C while it is being imported ends the process in silence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import_module("moot.cli.main").entry()  # only now, so that the line above covers the import


if __name__ == "__main__":
    main()
