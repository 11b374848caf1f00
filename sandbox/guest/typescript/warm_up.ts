// Dummy programs that take the very path of a real one, so that all it needs is loaded and compiled. They leave
// no trace. What they were run by may run another.

import { encodeJson, inspect, nextTurn } from "./intrinsics.ts";
import { toJsonText } from "./json_value.ts";
import { type Outcome, Programs } from "./program.ts";
import type { Requests } from "./requests.ts";
import { UserErrors } from "./user_error.ts";

const PROGRAMS = [
  "return 1 + 1",
  `import type { Row } from "./mcp-wrappers";
   export interface Sum { total: number }
   const rows = new Map<string, number>([["a", 1], ["b", 2]]);
   const texts: string[] = await Promise.all([...rows].map(async ([name, value]) => \`\${name}=\${value}\`));
   return { texts, rows, when: new Date(0), call: typeof mcp.server.tool, sum: { total: 3 } satisfies Sum }`,
  "throw new TypeError('dummy', { cause: [1] })",
];

export async function warmUp(mcp: object): Promise<Programs> {
  const programs = new Programs(new UserErrors(), mcp);
  for (const code of PROGRAMS) {
    const outcome: Outcome = await programs.run(code, false);
    toJsonText(outcome);
    encodeJson(outcome);
    inspect(outcome); // as console.log does
    await nextTurn();
  }
  return programs;
}

type Tool = (params: string | object) => Promise<unknown>;

/** The same for calls of tools. */
export async function warmUpCalls(requests: Requests, mcp: object): Promise<void> {
  const { callMCPTool } = globalThis as unknown as { callMCPTool: Tool };
  const { server } = mcp as { server: { tool: Tool } };
  await requests.rehearse(() => callMCPTool("dummy"));
  await requests.rehearse(() => server.tool({ dummy: 1 }));
}
