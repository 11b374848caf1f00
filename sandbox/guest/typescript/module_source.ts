// User code as the body of an async function in a module of its own, so that `await`, `return` and `import` all work at
// its top level. All that is added in front stands on the user's first line: line numbers stay, and `userPosition`
// corrects the columns.

import { importAt, type ImportDeclaration } from "./imports.ts";
import { type Token, tokenize } from "./tokens.ts";

export type Position = { line: number; column: number };

export type ModuleSource = {
  text: string;
  /** From a position in `text` to the one in the user's code, both 1-based. */
  userPosition(position: Position): Position;
};

/** Code that cannot be turned into a module, at a position in the user's code. */
export class SourceError extends Error {
  readonly position: Position;
  constructor(name: string, message: string, position: Position) {
    super(message);
    this.name = name;
    this.position = position;
  }
}

const WRAPPERS_MODULE = /^(?:\.\/)?mcp-wrappers(?:\.[tj]s)?$/;
const EXPORTED_DECLARATION = /^(?:const|let|var|function|class|async|abstract|interface|type|enum|declare)$/;

/** The module's default export takes the `mcp` object as each of its parameters, one or two for a wrapper import. */
export function moduleSource(userCode: string): ModuleSource {
  const code = withoutFence(userCode);
  const edits = /\b(?:import|export)\b/.test(code) ? findEdits(code) : { imports: [], blanks: [] };
  const builtins = new Prefix();
  const parameters: string[] = [];
  for (const declaration of edits.imports) {
    if (WRAPPERS_MODULE.test(declaration.module)) parameters.push(...wrapperParameters(declaration));
    else if (declaration.module.startsWith("node:")) builtins.add(code, declaration);
    else throw refusedImport(code, declaration);
  }
  // The semicolon keeps a leading "use strict" from being a directive, which a function with patterns as parameters
  // may not have.
  const prefix = `${builtins.text}export default async function(${parameters.join(",")}){;`;
  const body = blank(code, [...edits.imports, ...edits.blanks]);
  return {
    text: `${prefix}${body}\n}`,
    userPosition: (position) => builtins.origin(position) ?? shifted(code, position, prefix.length),
  };
}

type Range = { start: number; end: number };

/** The imports to hoist, and the `export` keywords that mean nothing in a program that nobody imports. */
function findEdits(code: string): { imports: ImportDeclaration[]; blanks: Range[] } {
  const tokens = tokenize(code);
  const imports: ImportDeclaration[] = [];
  const blanks: Range[] = [];
  tokens.forEach((token, index) => {
    if (token.depth !== 0 || token.kind !== "word") return;
    if (token.text === "import") {
      const declaration = importAt(tokens, index);
      if (declaration) imports.push(declaration);
    } else if (token.text === "export") {
      const range = exportRange(tokens, index);
      if (range) blanks.push(range);
    }
  });
  return { imports, blanks };
}

function exportRange(tokens: Token[], at: number): Range | undefined {
  const [keyword, next, afterNext] = tokens.slice(at, at + 3);
  if (next === undefined || tokens[at - 1]?.text === ".") return undefined;
  if (EXPORTED_DECLARATION.test(next.text)) return keyword;
  if (next.text === "default" && /^(?:function|class|async)$/.test(afterNext?.text ?? "")) {
    return { start: keyword.start, end: next.end };
  }
  if (next.text !== "{") return undefined;
  const close = tokens.find((token, index) => index > at && token.text === "}" && token.depth === 0);
  return close && { start: keyword.start, end: close.end };
}

function wrapperParameters(declaration: ImportDeclaration): string[] {
  if (declaration.typeOnly) return [];
  const whole = [declaration.standard, declaration.star].filter((name) => name !== undefined);
  const members = declaration.names.map(({ imported, local }) => imported === local ? local : `${imported}:${local}`);
  return members.length === 0 ? whole : [...whole, `{${members.join(",")}}`];
}

function refusedImport(code: string, { module, moduleStart }: ImportDeclaration): SourceError {
  const message = `Cannot import "${module}": only "node:" modules such as "node:path" and "./mcp-wrappers" can be ` +
    `imported. MCP tools need no import: await callMCPTool("mcp__server__tool", {...})`;
  return new SourceError("ImportError", message, positionAt(code, moduleStart));
}

/** Import declarations moved to the front of the first line, and the way back to where they came from. */
class Prefix {
  text = "";
  #pieces: { start: number; end: number; origin: Position }[] = [];

  add(code: string, { start, end }: ImportDeclaration): void {
    // On one line, or the user's line numbers would move.
    const declaration = code.slice(start, end).replace(/\/\/[^\n]*/g, "").replace(/\s+/g, " ");
    const from = this.text.length;
    this.text += declaration.endsWith(";") ? declaration : `${declaration};`;
    this.#pieces.push({ start: from, end: this.text.length, origin: positionAt(code, start) });
  }

  origin({ line, column }: Position): Position | undefined {
    if (line !== 1) return undefined;
    return this.#pieces.find(({ start, end }) => column > start && column <= end)?.origin;
  }
}

function shifted(code: string, { line, column }: Position, prefixLength: number): Position {
  const own = line === 1 ? { line, column: Math.max(1, column - prefixLength) } : { line, column };
  // A missing brace is noticed on the line that closes the function, which is not the user's.
  const end = positionAt(code, code.trimEnd().length);
  return own.line > end.line ? end : own;
}

function positionAt(code: string, offset: number): Position {
  const before = code.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** Overwrites ranges with spaces, so that everything else keeps its line and column. */
function blank(code: string, ranges: Range[]): string {
  let text = code;
  for (const { start, end } of ranges) {
    text = text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, " ") + text.slice(end);
  }
  return text;
}

/** Models often send their code inside a Markdown fence. */
function withoutFence(code: string): string {
  const opening = /^\s*```[\w-]*[ \t]*(?=\r?\n)/.exec(code);
  if (opening === null) return code;
  const body = code.replace(/```\s*$/, "");
  return opening[0].replace(/[^\n]/g, "") + body.slice(opening[0].length);
}
