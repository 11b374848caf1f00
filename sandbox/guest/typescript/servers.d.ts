// What is known of servers and tools: nothing, until the host writes it for a program.

// deno-lint-ignore-file no-explicit-any

export interface McpServers {
  [server: string]: any;
}
export type McpTools = Record<never, never>;
