"""The report of a run, or the document of another tool: for programs, it is not in the text."""

META = "code-executor/report"


def report_in(result):
    """None: there is none."""
    return result.get("_meta", {}).get(META)
