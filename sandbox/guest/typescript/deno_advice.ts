// Deno's messages advise the user who starts it. Here the reader is the author of the program.

import { indexOf, match } from "./intrinsics.ts";

const ONLY_NODE = `only "node:" modules can be imported`;
const FLAG = /^([\s\S]*), run again with the --allow-(\w+) flag$/;
/** What the parameter `permissions` of a run can give. */
const GRANTS = /^(?:read|write|net)$/;
const REFUSED_MODULE = ["--no-npm is specified", "--no-remote is specified", "not a dependency"];

export function withoutAdvice(message: string): string {
  const flag = match(FLAG, message);
  if (flag !== null) return `${flag[1]}${insteadOf(flag[2])}`;
  for (let i = 0; i < REFUSED_MODULE.length; i++) {
    if (indexOf(message, REFUSED_MODULE[i]) >= 0) return `${message} (${ONLY_NODE})`;
  }
  return message;
}

function insteadOf(permission: string): string {
  if (permission === "import") return `; ${ONLY_NODE}`;
  if (match(GRANTS, permission) === null) return ", which no program has here";
  return `, which the run must be given: permissions.${permission}`;
}
