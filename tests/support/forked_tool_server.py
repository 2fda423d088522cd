"""Be the MCP server of ``tool_server`` without its start: in a fork of one that has imported mcp.

Run it as ``python forked_tool_server.py NAME LOG``; see ``tools.name_server``.
"""

import json
import os
import socket
import sys
from pathlib import Path

with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as forks:
    forks.connect(f"\0{sys.argv[1]}")
    asked = {"words": sys.argv[1:], "folder": str(Path.cwd()), "env": dict(os.environ)}
    socket.send_fds(forks, [json.dumps(asked).encode()], [0, 1, 2])
    sys.exit(forks.recv(1)[0])
