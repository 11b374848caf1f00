// What promises of this package are rejected with. `code` tells them apart without `instanceof`.
"use strict";

/** The base of all. */
class CodeExecutorError extends Error {
  constructor(message, code, members) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    Object.assign(this, members);
  }
}

/** The server could not be started; `stderr` is the end of what it said. */
class StartError extends CodeExecutorError {
  constructor(message, members) {
    super(message, "start_failed", { stderr: "", ...members });
  }
}

/** The server ended while the call was open; the next call starts it again. */
class ServerExitedError extends CodeExecutorError {
  constructor(message, members) {
    super(message, "server_exited", members);
  }
}

/** `close` was called. */
class ClosedError extends CodeExecutorError {
  constructor() {
    super("the code executor is closed: make a new one", "closed");
  }
}

/** No answer in time. The call was cancelled at the server. */
class TimeoutError extends CodeExecutorError {
  constructor(message) {
    super(message, "timed_out");
  }
}

/** A bound of this package is reached; nothing was sent. */
class BusyError extends CodeExecutorError {
  constructor(message) {
    super(message, "busy");
  }
}

/** The server refused the request itself; `rpcCode` is that of JSON-RPC. */
class RequestError extends CodeExecutorError {
  constructor(message, rpcCode) {
    super(message, "request_refused", { rpcCode });
  }
}

/** The program around a call of a tool failed: `report` says how. */
class RunError extends CodeExecutorError {
  constructor(report) {
    super(report.error || "the run failed", "run_failed", { report });
  }
}

/** A tool's error, or a refusal of its call. `code` is that of the server: `tool_failed`, `unknown_tool`, ... */
class ToolError extends CodeExecutorError {
  constructor({ message, code, server, tool, suggestions }) {
    super(message, code || "tool_failed", { server, tool, suggestions: suggestions || [] });
  }
}

module.exports = { CodeExecutorError, StartError, ServerExitedError, ClosedError, TimeoutError, BusyError, RequestError, RunError, ToolError };
