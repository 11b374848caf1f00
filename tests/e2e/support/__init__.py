"""What the end-to-end tests stand on: the server under test, its children, the processes of this machine."""
