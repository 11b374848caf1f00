// User code as the body of an async function, so that `await`, `return` and `import` all work at its top level. What it
// imports becomes the function's parameters, and all that is added in front stands on the user's first line: line
// numbers stay, and `userPosition` corrects the columns.

import { importAt, type ImportDeclaration, type ImportedName } from "./imports.ts";
import { type Token, tokenize } from "./tokens.ts";

export type Position = { line: number; column: number };

/** One import declaration. */
export type Import = {
  /** Undefined: the wrappers, which are the `mcp` object. */
  module: string | undefined;
  /** Parameters of the program's function; each takes the module. */
  patterns: string[];
  /** What the declaration names of its module, and how the program calls it. */
  members: ImportedName[];
  /** Every name that the declaration gives to the program. */
  locals: string[];
  position: Position;
  modulePosition: Position;
};

export type ModuleSource = {
  /** The user's code with imports and `export` blanked out; everything else is where it was. */
  body: string;
  imports: Import[];
  /** Where the user's code ends. */
  end: Position;
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

/** Also as an editor finds them, where `code-executor sync-wrappers` has written them. */
const WRAPPERS_MODULE = /^(?:\.\/)?mcp-wrappers(?:\.[tj]s)?$|^(?:\.{1,2}\/)+wrappers\/typescript(?:\/[\w-]+)?(?:\.[tj]s)?$/;
const EXPORTED_DECLARATION = /^(?:const|let|var|function|class|async|abstract|interface|type|enum|declare)$/;

export function moduleSource(userCode: string): ModuleSource {
  const code = withoutInterpreter(withoutFence(userCode));
  const edits = /\b(?:import|export)\b/.test(code) ? findEdits(code) : { imports: [], blanks: [] };
  const body = blank(code, [...edits.imports, ...edits.blanks]);
  const imports = edits.imports.filter(({ typeOnly }) => !typeOnly).map((declaration) => toImport(code, declaration));
  return { body, imports, end: positionAt(code, code.trimEnd().length) };
}

/** How the function stands in what is run: as the value of a script, or as the default export of a module. */
export type Form = "script" | "module";

// Of the same length. A directive inside would not do: a function with patterns as parameters may have none.
const FORMS = {
  script: { before: '"use strict"; (', after: "\n})" },
  module: { before: "export default ", after: "\n}" },
};

/** The head of the program's function. `keepNames` runs first and finds what it needs in `arguments[0]`. */
export function functionHead(imports: Import[], keepNames: string): string {
  const parameters = imports.flatMap(({ patterns }) => patterns);
  if (keepNames !== "") parameters.unshift("{}");
  // The semicolon keeps a leading "use strict" from being a directive.
  return `async function(${parameters.join(",")}){${keepNames};`;
}

export function programText(form: Form, head: string, body: string): string {
  return FORMS[form].before + head + body + FORMS[form].after;
}

/** From a position in a program's text to the one in the user's code; undefined in what stands before it. */
export function userPosition({ line, column }: Position, headLength: number, end: Position): Position | undefined {
  if (line === 1) {
    const own = column - FORMS.script.before.length - headLength;
    return own < 1 ? undefined : { line, column: own };
  }
  // A missing brace is noticed on the line that closes the function, which is not the user's.
  return line > end.line ? end : { line, column };
}

type Range = { start: number; end: number };

/** The imports, and the `export` keywords that mean nothing in a program that no module imports. */
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

function toImport(code: string, declaration: ImportDeclaration): Import {
  const { module, standard, star, names } = declaration;
  const isWrappers = WRAPPERS_MODULE.test(module);
  const modulePosition = positionAt(code, declaration.moduleStart);
  if (!isWrappers && !module.startsWith("node:")) throw refusedImport(module, modulePosition);
  const members = standard === undefined || isWrappers ? names : [{ imported: "default", local: standard }, ...names];
  const whole = [isWrappers ? standard : undefined, star].filter((name) => name !== undefined);
  return {
    module: isWrappers ? undefined : module,
    patterns: members.length === 0 ? whole : [...whole, `{${members.map(memberPattern).join(",")}}`],
    members,
    locals: [...whole, ...members.map(({ local }) => local)],
    position: positionAt(code, declaration.start),
    modulePosition,
  };
}

function memberPattern({ imported, local }: ImportedName): string {
  return imported === local ? local : `${imported}:${local}`;
}

function refusedImport(module: string, position: Position): SourceError {
  const message = `Cannot import "${module}": only "node:" modules such as "node:path" and "./mcp-wrappers" can be ` +
    `imported. MCP tools need no import: await callMCPTool("mcp__server__tool", {...})`;
  return new SourceError("ImportError", message, position);
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

/** `#!` in the first line, which is a comment only where a file begins, becomes one of the same length. */
function withoutInterpreter(code: string): string {
  const opening = /^\s*#!/.exec(code);
  return opening === null ? code : `${opening[0].slice(0, -2)}//${code.slice(opening[0].length)}`;
}

/** Models often send their code inside a Markdown fence. */
function withoutFence(code: string): string {
  const opening = /^\s*```[\w-]*[ \t]*(?=\r?\n)/.exec(code);
  if (opening === null) return code;
  const body = code.replace(/```\s*$/, "");
  return opening[0].replace(/[^\n]/g, "") + body.slice(opening[0].length);
}
