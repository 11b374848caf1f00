"""Whether the server in this container can run programs: asks its health port. Exit code 1: no."""

import os
import sys
import urllib.error
import urllib.request

SECONDS = 4

try:
    with urllib.request.urlopen(f"http://127.0.0.1:{os.environ.get('HEALTH_CHECK_PORT', '3000')}/health", timeout=SECONDS) as answer:
        answer.read()
except urllib.error.HTTPError as error:
    sys.exit(f"not healthy: {error.read(2000).decode(errors='replace')}")
except OSError as error:
    sys.exit(f"no answer: {error}")
