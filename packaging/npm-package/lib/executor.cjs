// The API: programs, calls and searches at a server that is started when it is needed, and again when it has died.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { Connection } = require("./connection.cjs");
const { BusyError, ClosedError, RequestError, RunError, ToolError } = require("./errors.cjs");
const { PACKAGE, programPath } = require("./native.cjs");

const REPORT = "code-executor/report";
const RESULT_HANDLE = "code-executor/resultHandle";
const OUTPUT_URI = "code-executor://outputs/";
const RUN_TIMEOUT_MS = 30_000; // the server's own
// On top of a run's time: for a place in the queue (30 s), the start of a guest, and the answer.
const ANSWER_MARGIN_MS = 60_000;
const SEARCH_TIMEOUT_MS = 60_000;
const DEFAULTS = { startTimeoutMs: 30_000, closeTimeoutMs: 5_000, maxPending: 1000, args: [] };
const OPTIONS = [
  ...["command", "args", "cwd", "env", "config", "mcpConfig", "mcpServers"],
  ...["onLog", "onProgress", "startTimeoutMs", "closeTimeoutMs", "maxPending"],
];
const TIMES = ["startTimeoutMs", "closeTimeoutMs"];
// Those of a call that are ours; all others are parameters of the server's tool.
const CALL_OPTIONS = ["signal", "onProgress", "answerTimeoutMs", "wholeResult"];

const CALL_IN_TYPESCRIPT = (request) => `const [server, tool, params] = JSON.parse(${request});
try {
  return { value: await callMCPTool(server, tool, params) };
} catch (error) {
  if (!(error instanceof MCPError)) throw error;
  const { message, code, server, tool, suggestions } = error;
  return { failure: { message, code, server, tool, suggestions } };
}`;
const CALL_IN_PYTHON = (request) => `import json
server, tool, params = json.loads(${request})
try:
    outcome = {"value": await call_mcp_tool(server, tool, params)}
except MCPError as error:
    outcome = {"failure": {name: getattr(error, name) for name in ("message", "code", "server", "tool", "suggestions")}}
outcome`;

class CodeExecutor {
  #options;
  #connecting; // promise of a connection; undefined: none is there, or it is over
  #current; // its connection, which may not have been greeted yet
  #hasTypescript = new WeakMap(); // connection -> promise
  #isClosed = false;
  #closing;
  #pending = 0;
  #configFolder;
  #removeConfig = () => this.#configFolder && fs.rmSync(this.#configFolder, { recursive: true, force: true });

  constructor(options = {}) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown) throw new TypeError(`CodeExecutor has no option '${unknown}'; it has ${OPTIONS.join(", ")}`);
    if (options.mcpServers && options.mcpConfig) throw new TypeError("give mcpServers or mcpConfig, not both");
    this.#options = { ...DEFAULTS, ...options };
    for (const name of TIMES) checkTime(name, this.#options[name]);
  }

  /** Starts the server now and not at the first call. */
  async start() {
    await this.#connection();
  }

  runTypescript(code, options = {}) {
    return this.#run("run-typescript-code", code, options);
  }

  runPython(code, options = {}) {
    return this.#run("run-python-code", code, options);
  }

  async callTool(server, tool, params = {}, options = {}) {
    const request = JSON.stringify(JSON.stringify([server, tool, params]));
    const isTypescript = await unlessAborted(this.#runsTypescript(), options.signal);
    const report = await this.#run(
      isTypescript ? "run-typescript-code" : "run-python-code",
      (isTypescript ? CALL_IN_TYPESCRIPT : CALL_IN_PYTHON)(request),
      options,
    );
    if (!report.success) throw new RunError(report);
    if (report.result.failure) throw new ToolError(report.result.failure);
    return report.result.value;
  }

  async searchTools(query, options = {}) {
    const { own, theirs } = split(options);
    const answer = await this.#call("search_tools", { query, ...theirs }, { timeoutMs: SEARCH_TIMEOUT_MS, ...own });
    if (answer.isError) throw new RequestError(textOf(answer));
    return reportOf(answer);
  }

  async health(options = {}) {
    return reportOf(await this.#call("health", {}, { timeoutMs: SEARCH_TIMEOUT_MS, ...split(options).own }));
  }

  /** Open calls are rejected with ClosedError. Again: the same promise. */
  close() {
    this.#isClosed = true;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  async #end() {
    await this.#current?.close(this.#options.closeTimeoutMs);
    this.#removeConfig();
    process.off("exit", this.#removeConfig);
  }

  /** A machine without Deno still has Python. */
  async #runsTypescript() {
    const connection = await this.#connection();
    if (!this.#hasTypescript.has(connection))
      this.#hasTypescript.set(connection, this.health().then(({ runtimes }) => runtimes?.typescript?.available !== false));
    return this.#hasTypescript.get(connection);
  }

  async #run(tool, code, options) {
    const { own, theirs } = split(options);
    const ofRun = Number(theirs.timeoutMs ?? RUN_TIMEOUT_MS); // the server takes a text, too, and refuses what is no number
    const timeoutMs = own.timeoutMs ?? (ofRun || RUN_TIMEOUT_MS) + ANSWER_MARGIN_MS;
    const answer = await this.#call(tool, { code, ...theirs }, { ...own, timeoutMs });
    const report = { displayed: answer.content.slice(1), ...reportOf(answer) };
    return own.wholeResult === false ? report : this.#withWholeResult(report, answer._meta?.[RESULT_HANDLE], own.signal);
  }

  /** What is too large for a model is not too large for a program. What can not be read any more stays as it came. */
  async #withWholeResult(report, handle, signal) {
    if (!handle) return report;
    const uri = OUTPUT_URI + handle;
    try {
      const { contents } = await this.#request("resources/read", { uri }, { signal, timeoutMs: SEARCH_TIMEOUT_MS });
      const { text, mimeType } = contents[0];
      return { ...report, result: mimeType === "application/json" ? JSON.parse(text) : text };
    } catch (error) {
      if (error instanceof RequestError) return report;
      throw error;
    }
  }

  #call(name, parameters, options) {
    return this.#request("tools/call", { name, arguments: parameters }, options);
  }

  async #request(method, params, { signal, timeoutMs, onProgress }) {
    signal?.throwIfAborted();
    const { maxPending } = this.#options;
    if (this.#pending >= maxPending) throw new BusyError(`${maxPending} calls are open (maxPending): wait for some of them`);
    this.#pending++;
    try {
      const connection = await unlessAborted(this.#connection(), signal);
      return await connection.request(method, params, { signal, timeoutMs, onProgress: onProgress ?? this.#options.onProgress });
    } finally {
      this.#pending--;
    }
  }

  async #connection() {
    if (this.#isClosed) throw new ClosedError();
    if (this.#current?.isOver) this.#current = this.#connecting = undefined;
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect() {
    try {
      const { command, args, cwd, onLog, startTimeoutMs } = this.#options;
      const connection = new Connection({ command: command ?? programPath(), args, cwd, env: this.#environment(), onLog });
      this.#current = connection;
      await connection.initialize(ownInfo(), startTimeoutMs);
      return connection;
    } catch (error) {
      this.#current = this.#connecting = undefined;
      throw error;
    }
  }

  #environment() {
    const { env, config, mcpConfig, mcpServers } = this.#options;
    const all = { ...process.env, CODE_EXECUTOR_RESULTS: "text", ...env };
    if (config) all.CODE_EXECUTOR_CONFIG_PATH = path.resolve(config);
    if (mcpConfig) all.MCP_CONFIG_PATH = path.resolve(mcpConfig);
    if (mcpServers) all.MCP_CONFIG_PATH = this.#writeServers(mcpServers);
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  /** In a folder of ours alone: entries may have secrets. It is gone with us. */
  #writeServers(mcpServers) {
    if (!this.#configFolder) {
      this.#configFolder = fs.mkdtempSync(path.join(os.tmpdir(), "code-executor-"));
      process.on("exit", this.#removeConfig);
    }
    const file = path.join(this.#configFolder, "mcp.json");
    fs.writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
    return file;
  }
}

const pick = (from, names) => Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

function checkTime(name, value) {
  if (typeof value !== "number" || !(value >= 0)) throw new TypeError(`${name} is no number of milliseconds: ${value}`);
}

function split(options) {
  const { answerTimeoutMs, ...own } = pick(options, CALL_OPTIONS);
  if (answerTimeoutMs !== undefined) checkTime("answerTimeoutMs", answerTimeoutMs);
  const theirs = Object.fromEntries(Object.entries(options).filter(([name]) => !CALL_OPTIONS.includes(name)));
  return { own: answerTimeoutMs === undefined ? own : { ...own, timeoutMs: answerTimeoutMs }, theirs };
}

const textOf = (answer) => answer.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");

const reportOf = (answer) => answer._meta?.[REPORT] ?? answer.structuredContent ?? { success: !answer.isError, output: textOf(answer) };

/** The start goes on for others. */
function unlessAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function ownInfo() {
  const { version } = JSON.parse(fs.readFileSync(path.join(PACKAGE, "package.json"), "utf8"));
  return { name: "code-executor-javascript", version };
}

module.exports = { CodeExecutor };
