"""What tests/run.py is made of."""
