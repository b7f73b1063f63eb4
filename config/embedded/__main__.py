import sys

from config.embedded.cli import serve

sys.exit(serve(sys.argv[1:]))
