"""The promises of every protocol: what it calls, who reads whom, and what it decides."""
