#!/usr/bin/env python3
"""The servers that the documents' examples use, as far as they use them. usage: documented_child.py NAME"""

import json
import sys

from mcp_child import Child, Journal, Tool, text_result

TEXT = {"type": "string"}
REPOSITORY = {"repo": {**TEXT, "description": "owner and name"}}
NOTES = "Mow the lawn. Urgent: call the plumber."


def structured(value):
    return {**text_result(json.dumps(value)), "structuredContent": value}


def read_text_file(_call, given):
    return structured({"content": f"{NOTES} ({given['path']})"})


def read_file(_call, given):
    return structured({"text": NOTES[:given.get("limit", 100)], "next": None})


def list_issues(_call, given):
    return structured({"issues": [{"number": 1, "title": "Door squeaks", "repo": given.get("repo", "a/b")}]})


def create_issue(_call, given):
    return structured({"number": 2, **given})


def search(_call, given):
    return structured({"found": [given["q"]]})


TOOLS = {
    "filesystem": [Tool("read_text_file", read_text_file, {"path": TEXT, "head": {"type": "integer"}}, ["path"], "Read the whole text of a file"),
                   Tool("read_file", read_file, {"path": TEXT, "limit": {"type": "integer"}}, ["path"], "Reads a file.")],
    "files": [Tool("read_file", read_file, {"path": TEXT, "limit": {"type": "integer"}}, ["path"], "Reads a file.")],
    "github": [Tool("list_issues", list_issues, {**REPOSITORY, "state": {"enum": ["open", "closed"]}}, (), "The issues of a repository"),
               Tool("create_issue", create_issue, {**REPOSITORY, "title": TEXT, "labels": {"type": "array", "items": TEXT}}, ["repo", "title"],
                    "Create an issue in a repository"),
               Tool("search", search, {"q": TEXT}, ["q"], "Search code")],
    "notion": [Tool("search", search, {"q": TEXT}, ["q"], "Search pages")],
}

if __name__ == "__main__":
    Child(TOOLS[sys.argv[1]], Journal(None)).serve()
