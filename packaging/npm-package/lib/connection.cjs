// One process of the server, and the requests that are open at it: MCP over its stdin and stdout.
"use strict";

const { spawn } = require("node:child_process");
const { splitLines } = require("./lines.cjs");
const { BusyError, ClosedError, RequestError, ServerExitedError, StartError, TimeoutError } = require("./errors.cjs");

const PROTOCOL_VERSION = "2025-11-25";
const METHOD_NOT_FOUND = -32601;
// The server's own bound of an answer is 64 MiB of JSON, which may be escaped once more.
const LINE_BYTES_MAX = 192 * 1024 * 1024;
const STDERR_LINE_BYTES_MAX = 64 * 1024;
// What of stderr is told in errors.
const STDERR_KEPT_CHARACTERS = 8 * 1024;
// Requests that the server has not read yet.
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;
// setTimeout takes what is longer for 1 ms.
const TIMER_MS_MAX = 2 ** 31 - 1;
// After the process has ended, for what it has written and we have not read: something that it started may hold the pipe open.
const DRAIN_MS = 1000;

class Connection {
  #child;
  #open = new Map(); // id -> {resolve, reject, onProgress, forget}
  #nextId = 1;
  #stderr = "";
  #failure; // why it is over: an error; undefined: it is not
  #reason; // why we end the process
  #ended;
  #hasExited = false;
  #onLog;

  /** `onLog({level, source, text, data})` gets what the server logs. The process may end at any time: requests tell. */
  constructor({ command, args, cwd, env, onLog }) {
    this.#onLog = onLog;
    try {
      this.#child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    } catch (error) {
      throw new StartError(`${command} can not be started: ${error.message}`, { cause: error });
    }
    let tellEnd;
    this.#ended = new Promise((resolve) => (tellEnd = resolve));
    this.#child.once("error", (error) => {
      if (this.#child.pid === undefined) tellEnd(this.#fail(new StartError(`${command} can not be started: ${error.message}`)));
    });
    this.#child.once("exit", (exitCode, signal) => {
      this.#hasExited = true;
      const end = () => tellEnd(this.#fail(this.#exitError(exitCode, signal)));
      const timer = setTimeout(end, DRAIN_MS);
      this.#child.once("close", () => (clearTimeout(timer), end()));
    });
    this.#child.stdin.on("error", () => {}); // it does not read any more: its end tells
    splitLines(this.#child.stdout, LINE_BYTES_MAX, (line) => this.#take(line), () => this.#giveUp("sent a line that is too long"));
    const log = (line) => this.#logStderr(line.toString("utf8"));
    splitLines(this.#child.stderr, STDERR_LINE_BYTES_MAX, log, log);
    this.#rest();
  }

  /** The process has ended, or never was. Answers that it has written may still come. */
  get isOver() {
    return this.#hasExited || this.#failure !== undefined;
  }

  /** The greeting. Rejects with StartError. */
  async initialize(clientInfo, timeoutMs) {
    try {
      const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
      const answer = await this.request("initialize", params, { timeoutMs });
      this.#send({ method: "notifications/initialized" });
      return answer;
    } catch (error) {
      this.kill();
      if (error instanceof StartError || error instanceof ClosedError) throw error;
      throw new StartError(`the server did not start: ${error.message}`, { stderr: this.#stderr, cause: error });
    }
  }

  /** Rejects when `signal` says so (with its reason), after `timeoutMs`, when the server refuses it, and when it ends; cancels it at the server. */
  request(method, params, { signal, timeoutMs, onProgress } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const id = this.#nextId++;
      const withToken = onProgress ? { ...params, _meta: { ...params._meta, progressToken: id } } : params;
      const problem = this.#send({ id, method, params: withToken });
      if (problem) return reject(problem);
      const cancel = (error) => {
        this.#forget(id);
        this.#send({ method: "notifications/cancelled", params: { requestId: id, reason: String(error?.message ?? error).slice(0, 200) } });
        reject(error);
      };
      const onAbort = () => cancel(signal.reason);
      const timer = setTimeout(() => cancel(new TimeoutError(`no answer to ${method} within ${timeoutMs} ms`)), Math.min(timeoutMs, TIMER_MS_MAX));
      signal?.addEventListener("abort", onAbort, { once: true });
      const forget = () => (clearTimeout(timer), signal?.removeEventListener("abort", onAbort));
      this.#open.set(id, { resolve, reject, onProgress, forget });
      this.#work();
    });
  }

  /** The end of its stdin, which the server answers by ending; then SIGTERM, then SIGKILL. */
  async close(timeoutMs) {
    this.#reason = new ClosedError();
    this.#fail(this.#reason);
    this.#work();
    this.#child.stdin.end();
    const timers = ["SIGTERM", "SIGKILL"].map((signal, i) => setTimeout(() => this.#child.kill(signal), Math.min(timeoutMs * (i + 1), TIMER_MS_MAX)));
    await this.#ended;
    timers.forEach(clearTimeout);
  }

  kill() {
    this.#child.kill("SIGKILL");
  }

  /** Nothing is open: it does not keep Node from ending, and its stdin ends with us. */
  #rest() {
    for (const each of this.#handles()) each.unref?.();
  }

  #work() {
    for (const each of this.#handles()) each.ref?.();
  }

  #handles() {
    return [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr];
  }

  /** Gives the error, if it was not sent. */
  #send(message) {
    if (this.#failure) return this.#failure;
    const line = JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n";
    if (this.#child.stdin.writableLength + line.length > UNSENT_BYTES_MAX)
      return new BusyError(`the server has not read ${UNSENT_BYTES_MAX >> 20} MiB of requests yet: wait for some of them`);
    if (this.#child.stdin.writable) this.#child.stdin.write(line);
    return undefined;
  }

  #take(line) {
    if (line.length === 0) return;
    let message;
    try {
      message = JSON.parse(line.toString("utf8"));
    } catch {
      return this.#giveUp("sent a line that is no JSON");
    }
    if (typeof message !== "object" || message === null) return this.#giveUp("sent a line that is no message");
    if (message.method !== undefined && message.id !== undefined) this.#answer(message);
    else if (message.method !== undefined) this.#hear(message.method, message.params ?? {});
    else this.#settle(message);
  }

  /** What the server asks: we have offered nothing. */
  #answer({ id, method }) {
    this.#send(method === "ping" ? { id, result: {} } : { id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
  }

  #hear(method, params) {
    if (method === "notifications/progress") tell(this.#open.get(params.progressToken)?.onProgress, params);
    else if (method === "notifications/message")
      tell(this.#onLog, { level: params.level, source: params.logger ?? "server", text: textOf(params.data), data: params.data });
  }

  #settle({ id, result, error }) {
    const open = this.#open.get(id);
    if (!open) return; // cancelled
    this.#forget(id);
    if (error) open.reject(new RequestError(error.message, error.code));
    else open.resolve(result);
  }

  #forget(id) {
    this.#open.get(id)?.forget();
    this.#open.delete(id);
    if (this.#open.size === 0 && !this.#reason) this.#rest();
  }

  #logStderr(text) {
    this.#stderr = (this.#stderr + text + "\n").slice(-STDERR_KEPT_CHARACTERS);
    const level = /^\S+ (trace|debug|info|warning|error|critical) /.exec(text)?.[1];
    tell(this.#onLog, { level: level ?? "info", source: "stderr", text, data: text });
  }

  /** It does not speak the protocol. */
  #giveUp(what) {
    this.#reason ??= new ServerExitedError(`the server ${what}, and was ended`, { exitCode: null, signal: "SIGKILL", stderr: this.#stderr });
    this.kill();
  }

  #exitError(exitCode, signal) {
    const how = signal ? `by ${signal}` : `with exit code ${exitCode}`;
    const last = this.#stderr.trimEnd().split("\n").pop();
    return this.#reason ?? new ServerExitedError(`the server ended ${how}${last ? `: ${last}` : ""}`, { exitCode, signal, stderr: this.#stderr });
  }

  #fail(error) {
    if (this.#failure) return;
    this.#failure = error;
    for (const [id, { reject }] of [...this.#open]) {
      this.#forget(id);
      reject(error);
    }
  }
}

const textOf = (data) => (typeof data === "string" ? data : JSON.stringify(data));

/** An exception of a callback is its own, and no reason to lose the answers of others. */
function tell(callback, what) {
  try {
    callback?.(what);
  } catch (error) {
    process.emitWarning(`a callback given to code-executor threw: ${error?.stack ?? error}`);
  }
}

module.exports = { Connection };
