// The global functions of the guest API. Names, aliases, permissions and results are the host's business: what a reply
// carries is already the value that user code gets.

import { define, freeze, isArray } from "./intrinsics.ts";
import { describe } from "./describe.ts";
import type { Displays } from "./display.ts";
import { llmFunctions } from "./llm.ts";
import { MCPError } from "./mcp_error.ts";
import { memoryFunctions } from "./memory.ts";
import { serverProxies } from "./proxies.ts";
import type { Requests } from "./requests.ts";

type Params = Record<string, unknown>;
type DiscoverOptions = { search?: string | string[]; server?: string; limit?: number };
type OutputOptions = { path?: string; offset?: number; limit?: number };
type SearchOptions = { limit?: number; server?: string; detail?: string };

/** Defines the API as globals and returns the object behind the name `mcp`. */
export function installApi(requests: Requests, displays: Displays): object {
  const mcp = serverProxies((server, tool, params, entry) =>
    isParams(params)
      ? requests.send("call", { server, tool, args: params ?? {} }, entry)
      : requests.refuse(wrongParams(`${server}.${tool}`, params), entry)
  );
  const memory = memoryFunctions(requests);
  const llm = llmFunctions(requests);
  [memory, llm].forEach((functions) => Object.values(functions).forEach(freeze));
  const display = (...values: unknown[]) => displays.show(values);
  const functions = {
    ...callFunctions(requests),
    ...discoveryFunctions(requests),
    ...childFunctions(requests),
    ...outputFunctions(requests),
    ...personFunctions(requests),
  };
  const api = { ...functions, display, llm, memory, mcp, MCPError };
  for (const [name, value] of Object.entries(api)) define(globalThis, name, freeze(value));
  freeze(MCPError.prototype);
  return mcp;
}

function callFunctions(requests: Requests) {
  function callMCPTool(nameOrServer: string, toolOrParams?: string | Params, params?: Params): Promise<unknown> {
    if (typeof nameOrServer !== "string") {
      return requests.refuse(`callMCPTool needs a tool name, got ${describe(nameOrServer)}`, callMCPTool);
    }
    const byServer = typeof toolOrParams === "string";
    const args = byServer ? params : toolOrParams;
    if (!isParams(args)) {
      const tool = byServer ? `${nameOrServer}.${toolOrParams}` : nameOrServer;
      return requests.refuse(wrongParams(tool, args), callMCPTool);
    }
    const target = byServer ? { server: nameOrServer, tool: toolOrParams } : { name: nameOrServer };
    return requests.send("call", { ...target, args: args ?? {} }, callMCPTool);
  }
  return { callMCPTool };
}

function discoveryFunctions(requests: Requests) {
  function discoverMCPTools(options: DiscoverOptions | string | string[] = {}): Promise<unknown> {
    const { search, server, limit } = typeof options === "string" || isArray(options)
      ? { search: options }
      : options ?? {};
    const terms = typeof search === "string" ? [search] : search;
    return requests.send("discover", { search: terms, server, limit }, discoverMCPTools);
  }

  function searchTools(query: string, options?: number | SearchOptions): Promise<unknown> {
    const { limit, server, detail } = typeof options === "number" ? { limit: options } : options ?? {};
    return requests.send("search", { query, limit, server, detail }, searchTools);
  }

  const oneTool = (nameOrServer: string, tool?: string) =>
    tool === undefined ? { name: nameOrServer } : { server: nameOrServer, tool };

  function getToolSchema(nameOrServer: string, tool?: string): Promise<unknown> {
    return requests.send("schema", oneTool(nameOrServer, tool), getToolSchema);
  }

  function getToolSignature(nameOrServer: string, tool?: string): Promise<unknown> {
    return requests.send("signature", oneTool(nameOrServer, tool), getToolSignature);
  }

  function listServers(): Promise<unknown> {
    return requests.send("servers", {}, listServers);
  }

  return { discoverMCPTools, searchTools, getToolSchema, getToolSignature, listServers };
}

/** Resources and prompts of the servers. */
function childFunctions(requests: Requests) {
  function listMCPResources(server: string): Promise<unknown> {
    return requests.send("resources", { server }, listMCPResources);
  }

  function readMCPResource(server: string, uri: string): Promise<unknown> {
    return requests.send("resource", { server, uri }, readMCPResource);
  }

  function listMCPPrompts(server: string): Promise<unknown> {
    return requests.send("prompts", { server }, listMCPPrompts);
  }

  function getMCPPrompt(server: string, name: string, args?: Params): Promise<unknown> {
    return requests.send("prompt", { server, name, args }, getMCPPrompt);
  }

  return { listMCPResources, readMCPResource, listMCPPrompts, getMCPPrompt };
}

function outputFunctions(requests: Requests) {
  /** What an earlier run returned or printed and was too large to show, or a part of it. */
  function readOutput(handle: string, options?: OutputOptions): Promise<unknown> {
    const { path, offset, limit } = options ?? {};
    return requests.send("output", { handle, path, offset, limit }, readOutput);
  }
  return { readOutput };
}

/** The person at the client. */
function personFunctions(requests: Requests) {
  function askUser(message: string, schema?: object): Promise<unknown> {
    return requests.send("ask", { message, schema }, askUser);
  }

  function approve(summary?: string | string[] | Record<string, number>): Promise<unknown> {
    return requests.send("approve", { summary }, approve);
  }
  return { askUser, approve };
}

function isParams(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && !isArray(value));
}

function wrongParams(tool: string, value: unknown): string {
  return `the parameters of ${tool} must be an object such as {path: "a.txt"}, got ${describe(value)}`;
}
