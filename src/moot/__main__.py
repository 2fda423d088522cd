"""``python -m moot``, and the command ``moot``."""

import signal


def main() -> None:
    """Run the command line. Ctrl-C while it is being imported ends the process in silence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from moot.cli.main import entry

    entry()


if __name__ == "__main__":
    main()
