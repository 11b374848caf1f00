// Checks the types of a program without running it: reads {code, servers} from stdin, where `servers` are the
// declarations of the tools, has the compiler look at it, and writes {problems} to stdout.

import { type Import, moduleSource, SourceError } from "./module_source.ts";

export type Problem = { line: number; column: number; message: string };

const FOLDER = "/tmp/type-check";
const GLOBALS = new URL("./globals.d.ts", import.meta.url);
// Loose where JavaScript is: a program needs no types of its own.
const OPTIONS = { compilerOptions: { noImplicitAny: false, useUnknownInCatchVariables: false, noImplicitThis: false } };
const BEFORE = "async function program() {";
const FLAGS = ["check", "--quiet", "--config", `${FOLDER}/deno.json`, "--no-lock", "--no-remote", "--no-npm"];

if (import.meta.main) {
  const { code, servers } = await new Response(Deno.stdin.readable).json();
  console.log(JSON.stringify(await checked(code, servers)));
}

async function checked(code: string, servers: string): Promise<{ problems: Problem[]; failure?: string }> {
  const source = sourceOf(code);
  if (source === undefined) return { problems: [] };
  const head = `${source.imports.map(importText).join("")}${BEFORE}${source.imports.map(wrapperText).join("")}`;
  Deno.mkdirSync(FOLDER);
  Deno.writeTextFileSync(`${FOLDER}/program.ts`, `${head}${source.body}\n}\nexport { program };\n`);
  Deno.writeTextFileSync(`${FOLDER}/servers.d.ts`, servers);
  Deno.writeTextFileSync(`${FOLDER}/globals.d.ts`, Deno.readTextFileSync(GLOBALS));
  Deno.writeTextFileSync(`${FOLDER}/deno.json`, JSON.stringify(OPTIONS));
  const files = [`${FOLDER}/globals.d.ts`, `${FOLDER}/program.ts`];
  const done = await new Deno.Command(Deno.execPath(), { args: [...FLAGS, ...files], cwd: FOLDER, stdin: "null" })
    .output();
  const said = new TextDecoder().decode(done.stderr);
  if (!done.success && !/^TS\d+ \[ERROR\]|could not be parsed/m.test(said)) {
    return { problems: [], failure: said.slice(0, 500) };
  }
  return { problems: problemsIn(said, head.length, source.end.line) };
}

/** Undefined: the program has a mistake that running it tells better. */
function sourceOf(code: string) {
  try {
    return moduleSource(code);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

function importText({ module, members, patterns }: Import): string {
  if (module === undefined) return "";
  const whole = patterns.filter((pattern) => !pattern.startsWith("{")).map((name) =>
    `import * as ${name} from "${module}";`
  );
  const names = members.map(({ imported, local }) => imported === local ? local : `${imported} as ${local}`);
  return whole.join("") + (names.length > 0 ? `import { ${names.join(", ")} } from "${module}";` : "");
}

function wrapperText({ module, patterns }: Import): string {
  return module === undefined ? patterns.map((pattern) => `const ${pattern} = mcp;`).join("") : "";
}

/** Those in the program; what the declarations have among themselves is not the user's. */
export function problemsIn(said: string, headLength: number, lines: number): Problem[] {
  const problems: Problem[] = [];
  for (const part of said.split(/^(?=TS\d+ \[ERROR\]: )/m)) {
    const place = /^ {4}at file:\/\/\S*\/program\.ts:(\d+):(\d+)/m.exec(part);
    const message = /^TS\d+ \[ERROR\]: (.*(?:\n {2}.*)*)/.exec(part);
    if (place === null || message === null) continue;
    const line = Number(place[1]);
    const column = line === 1 ? Number(place[2]) - headLength : Number(place[2]);
    if (column >= 1 && line <= lines) problems.push({ line, column, message: message[1].trim() });
  }
  return problems;
}
