/// <reference lib="esnext.disposable" />
/** A JavaScript API for code-executor: programs in TypeScript and Python that call the tools of MCP servers. docs/javascript.md tells more. */

/** An entry of a client's configuration file. */
export interface McpServer {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  /** What else code-executor knows: `includeTools`, `rateLimit`, ... */
  [key: string]: unknown;
}

export interface LogEntry {
  level: string;
  /** `stderr`: the log of the server itself; else what the server or one behind it sent as a log message. */
  source: string;
  text: string;
  data: unknown;
}

export interface Progress {
  progress: number;
  total?: number;
  /** What goes on. */
  message?: string;
}

export interface CodeExecutorOptions {
  /** The program to start; that of this package if not given. */
  command?: string;
  args?: string[];
  /** Where it is started: a project's configuration files are found from here. */
  cwd?: string;
  /** Added to the variables of this process; `undefined` takes one away. */
  env?: Record<string, string | undefined>;
  /** A settings file of code-executor (CODE_EXECUTOR_CONFIG_PATH). */
  config?: string;
  /** A file with MCP servers (MCP_CONFIG_PATH), before all others that are found. */
  mcpConfig?: string;
  /** MCP servers, instead of a file. */
  mcpServers?: Record<string, McpServer>;
  onLog?: (entry: LogEntry) => void;
  /** Of calls that have no `onProgress` of their own. */
  onProgress?: (progress: Progress) => void;
  /** 30,000 ms. */
  startTimeoutMs?: number;
  /** How long `close` waits before SIGTERM, and as long again before SIGKILL: 5,000 ms. */
  closeTimeoutMs?: number;
  /** Calls open at once, over which BusyError comes: 1,000. The server runs 100 programs at once, and 200 wait. */
  maxPending?: number;
}

export interface CallOptions {
  /** Cancels the call, at the server too; the promise is rejected with its reason. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** How long to wait for an answer, over which TimeoutError comes: a run's `timeoutMs` and 60 s, for all else 60 s. */
  answerTimeoutMs?: number;
}

export interface RunOptions extends CallOptions {
  /** The run's own time: 1,000 to 300,000 ms; 30,000. Over it the run has failed, and says what it was waiting for. */
  timeoutMs?: number;
  /** Patterns over `mcp__<server>__<tool>`. Not given: all tools; an empty list: none. */
  allowedTools?: string[];
  permissions?: { read?: string[]; write?: string[]; net?: string[] };
  /** Variables stay for the next run of this name. */
  session?: string;
  resetSession?: boolean;
  enableSampling?: boolean;
  maxSamplingRounds?: number;
  maxSamplingTokens?: number;
  samplingSystemPrompt?: string;
  allowedSamplingModels?: string[];
  samplingVerbose?: boolean;
  faults?: object;
  /** `false`: a large result stays a handle with its shape and a sample, as models see it. */
  wholeResult?: boolean;
}

export interface TypescriptOptions extends RunOptions {
  /** Nothing is run if the types do not fit the tools. */
  typeCheck?: boolean;
}

export type CallToolOptions = CallOptions & Pick<RunOptions, "timeoutMs" | "faults">;

export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource" | "resource_link"; [key: string]: unknown };

export interface ToolCalls {
  toolName: string;
  callCount: number;
  successCount: number;
  errorCount: number;
  totalDurationMs: number;
  averageDurationMs: number;
  lastErrorMessage?: string;
}

interface Report {
  /** What the program printed: at most 25,000 characters, the middle left out (`truncated`). */
  output: string;
  executionTimeMs: number;
  toolCallsMade?: string[];
  toolCallSummary?: ToolCalls[];
  samplingCalls?: unknown[];
  samplingMetrics?: Record<string, unknown>;
  truncated?: boolean;
  session?: { name: string; state: "new" | "kept" | "lost"; reason?: string };
  faults?: { tool: string; call: number; kind: string }[];
  /** What the program displayed. */
  displayed: ContentBlock[];
}

export type RunReport<T = unknown> =
  | (Report & { success: true; result: T; error?: undefined })
  | (Report & { success: false; result?: undefined; error: string });

export interface SearchOptions extends CallOptions {
  limit?: number;
  server?: string;
  detail?: "minimal" | "standard" | "full";
}

export interface FoundTool {
  server: string;
  tool: string;
  description?: string;
  [key: string]: unknown;
}

export interface SearchResult {
  tools: FoundTool[];
  total: number;
  query: string;
  hint?: string;
  lazyLoaded?: string[];
  [key: string]: unknown;
}

export class CodeExecutor {
  /** Starts nothing yet: the first call does. */
  constructor(options?: CodeExecutorOptions);
  /** Starts the server now. Rejects with StartError. */
  start(): Promise<void>;
  /** Resolves with the report of the run, also of one that failed (`success: false`). `T` is believed, not checked. */
  runTypescript<T = unknown>(code: string, options?: TypescriptOptions): Promise<RunReport<T>>;
  runPython<T = unknown>(code: string, options?: RunOptions): Promise<RunReport<T>>;
  /** One call, with what a program would get. Rejects with ToolError if the tool or its policy says no, with RunError if it came to no call. */
  callTool<T = unknown>(server: string, tool: string, params?: object, options?: CallToolOptions): Promise<T>;
  searchTools(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** What the server's tool `health` tells. */
  health(options?: CallOptions): Promise<Record<string, unknown>>;
  /** Ends the server. Open calls and later ones are rejected with ClosedError. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export class CodeExecutorError extends Error {
  readonly code: string;
}
/** The server could not be started. */
export class StartError extends CodeExecutorError {
  /** The end of what it said. */
  readonly stderr: string;
}
/** The server ended while the call was open. Nobody knows whether it was carried out; it is not repeated. The next call starts the server again. */
export class ServerExitedError extends CodeExecutorError {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}
export class ClosedError extends CodeExecutorError {}
export class TimeoutError extends CodeExecutorError {}
/** A bound of this package is reached; nothing was sent. */
export class BusyError extends CodeExecutorError {}
/** The server refused the request itself. */
export class RequestError extends CodeExecutorError {
  readonly rpcCode?: number;
}
/** The program around `callTool` failed: its time is over, or the language can not be run. */
export class RunError extends CodeExecutorError {
  readonly report: RunReport;
}
export class ToolError extends CodeExecutorError {
  readonly server?: string;
  readonly tool?: string;
  readonly suggestions: string[];
}
