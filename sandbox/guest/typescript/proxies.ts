// `mcp.<server>.<tool>(params)`: any name is taken for a server, and any name of a server for a tool; the host knows
// which exist.

import { create, type Entry, freeze } from "./intrinsics.ts";

export type CallTool = (server: string, tool: string, params: unknown, entry: Entry) => Promise<unknown>;

/** Names that the language itself asks objects for; answering them would make `await mcp.files` call a tool `then`. */
const LANGUAGE_NAMES: Record<string, true> = Object.assign(create(null), {
  then: true,
  toJSON: true,
  constructor: true,
  prototype: true,
  toString: true,
  valueOf: true,
});

export function serverProxies(callTool: CallTool): object {
  return namespace("mcp", (server) =>
    namespace(`mcp.${server}`, (tool) => {
      const call = (params?: unknown) => callTool(server, tool, params, call);
      return freeze(call);
    }));
}

/** An object that makes each of its members on first use, and the same one ever after. */
function namespace(label: string, make: (name: string) => object): object {
  const members: Record<string, object> = create(null);
  const target = freeze(create(null, { [Symbol.toStringTag]: { value: label } }));
  return new Proxy(target, {
    get(_, name) {
      if (name === Symbol.toStringTag) return label;
      if (typeof name === "symbol") return undefined;
      if (LANGUAGE_NAMES[name]) return name === "toString" ? () => `[${label}]` : undefined;
      return members[name] ??= make(name);
    },
  });
}
