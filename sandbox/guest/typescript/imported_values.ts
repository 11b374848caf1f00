// What the import declarations of a program bring: the modules of Node, and the wrappers.

import { keys } from "./intrinsics.ts";
import { type Import, SourceError } from "./module_source.ts";
import { tokenize } from "./tokens.ts";

/** One value for each pattern of the imports. Throws SourceError for what is not there. */
export async function importedValues(imports: Import[], javaScript: string, mcp: object): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let i = 0; i < imports.length; i++) {
    const { module, patterns } = imports[i];
    const value = module === undefined ? mcp : await moduleOf(imports[i], javaScript);
    for (let p = 0; p < patterns.length; p++) values[values.length] = value;
  }
  return values;
}

async function moduleOf(declaration: Import, javaScript: string): Promise<object> {
  const { module, modulePosition } = declaration;
  let found: object;
  try {
    found = await import(module!);
  } catch (error) {
    throw new SourceError("ImportError", `Cannot import "${module}": ${(error as Error).message}`, modulePosition);
  }
  const names = keys(found);
  const missing = declaration.members.find(({ imported }) => !isText(imported) && !names.includes(imported));
  // A type may be imported without saying that it is one; of those, nothing is left in JavaScript.
  if (missing !== undefined && isUsed(missing.local, javaScript)) {
    const message = `The requested module '${module}' does not provide an export named '${missing.imported}'`;
    throw new SourceError("SyntaxError", message, declaration.position);
  }
  return found;
}

/** An imported name may be a string, of any text. */
function isText(name: string): boolean {
  return name[0] === '"' || name[0] === "'";
}

function isUsed(name: string, javaScript: string): boolean {
  return tokenize(javaScript).some(({ kind, text }) => kind === "word" && text === name);
}
