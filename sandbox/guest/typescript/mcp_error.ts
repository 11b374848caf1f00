// The error that every failed call throws.

/** What the host says about a failed request. */
export type Failure = {
  code: string;
  message: string;
  server?: string;
  tool?: string;
  suggestions?: string[];
  retryAfterMs?: number;
};

/** Marks the error of a request that a program before has made: what becomes of it is not this program's failure. */
export let leaveToProgramBefore: (error: MCPError) => void;
export let isOfProgramBefore: (reason: unknown) => boolean;

export class MCPError extends Error {
  #isOfProgramBefore = false;
  readonly code: string;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly suggestions: string[];
  declare readonly retryAfterMs?: number;

  constructor(message: string, details: Partial<Failure> = {}) {
    super(message);
    this.code = details.code ?? "error";
    this.server = details.server;
    this.tool = details.tool;
    this.suggestions = details.suggestions ?? [];
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
  }

  static {
    leaveToProgramBefore = (error) => void (error.#isOfProgramBefore = true);
    isOfProgramBefore = (reason) =>
      typeof reason === "object" && reason !== null && #isOfProgramBefore in reason && reason.#isOfProgramBefore;
    // On the prototype, so that printing an error does not list its own name among the details.
    Object.defineProperty(this.prototype, "name", { value: "MCPError", writable: true, configurable: true });
  }
}
