// The guest API as programs see it, for checking their types before they run.

import type { McpServers, McpTools } from "./servers.d.ts";

type Params = Record<string, unknown> | null;
type Call<Name, Otherwise> = Name extends keyof McpTools
  ? (McpTools[Name] extends (...params: infer P) => unknown ? P : Otherwise)
  : Otherwise;
type Result<Name> = Name extends keyof McpTools
  ? (McpTools[Name] extends (...params: any) => infer R ? R : Promise<any>)
  : Promise<any>;

type SampleOptions = {
  systemPrompt?: string;
  /** Of the answer. */
  maxTokens?: number;
  model?: string;
};
type ThinkOptions = SampleOptions & {
  /** Patterns such as "mcp__github__*": the tools that the model may call. */
  tools?: string[];
};
type ChatMessage = {
  role: "user" | "assistant" | "system";
  content: string | { type: "text"; text: string }[];
};
type Whole = { stream?: false };
type Streamed = { stream: true };
/** The answer piece by piece, while it comes: `for await (const text of llm.ask(prompt, {stream: true}))`, awaited before or not. */
type TextStream = AsyncIterable<string> & PromiseLike<AsyncIterableIterator<string>>;

declare global {
  const mcp: McpServers;
  function callMCPTool<Name extends string>(name: Name, ...params: Call<Name, [params?: Params]>): Result<Name>;
  function callMCPTool<Server extends string, Tool extends string>(
    server: Server,
    tool: Tool,
    ...params: Call<`mcp__${Server}__${Tool}`, [params?: Params]>
  ): Result<`mcp__${Server}__${Tool}`>;
  function discoverMCPTools(
    options?: { search?: string | string[]; server?: string; limit?: number } | string | string[],
  ): Promise<any[]>;
  function searchTools(
    query: string,
    options?: number | { limit?: number; server?: string; detail?: string },
  ): Promise<any[]>;
  function getToolSchema(nameOrServer: string, tool?: string): Promise<any>;
  function getToolSignature(nameOrServer: string, tool?: string): Promise<any>;
  function listServers(): Promise<any>;
  function listMCPResources(server: string): Promise<any>;
  function readMCPResource(server: string, uri: string): Promise<any>;
  function listMCPPrompts(server: string): Promise<any>;
  function getMCPPrompt(server: string, name: string, args?: Params): Promise<any>;
  function readOutput(handle: string, options?: { path?: string; offset?: number; limit?: number }): Promise<any>;
  /** Asks the person at the client, by a form: `schema` is one of MCP's flat forms, or one field; without it they write a text (`content.answer`). */
  function askUser(
    message: string,
    schema?: object | null,
  ): Promise<{ action: "accept" | "decline" | "cancel"; content?: any }>;
  /** Asks them for all of a loop's calls at once, where the settings want calls to be approved: `["mcp__github__create_issue x 12"]`. */
  function approve(summary?: string | string[] | Record<string, number> | null): Promise<boolean>;
  function display(...values: unknown[]): void;
  /** Asks a model; needs `enableSampling: true` for the run. */
  const llm: {
    /** The answer to one question. */
    ask(prompt: string, options?: SampleOptions & Whole): Promise<string>;
    ask(prompt: string, options: SampleOptions & Streamed): TextStream;
    /** The answer to the last message of a conversation. */
    think(messages: ChatMessage[], options?: ThinkOptions & Whole): Promise<string>;
    think(messages: ChatMessage[], options: ThinkOptions & Streamed): TextStream;
    think(request: { messages: ChatMessage[] } & ThinkOptions & Whole, options?: ThinkOptions & Whole): Promise<string>;
    think(
      request: { messages: ChatMessage[] } & ThinkOptions & Streamed,
      options?: ThinkOptions & Partial<Streamed>,
    ): TextStream;
    think(request: { messages: ChatMessage[] } & ThinkOptions, options: ThinkOptions & Streamed): TextStream;
  };
  const memory: any;
  class MCPError extends Error {
    code: string;
    server?: string;
    tool?: string;
    suggestions?: string[];
    retryAfterMs?: number;
  }
}
