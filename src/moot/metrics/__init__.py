"""Floor 3: metrics. Each is a pure function of a transcript, registered by decorator.

A metric says what one debate came to; ``moot.studies.results`` says what a run came to.
"""
