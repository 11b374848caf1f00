// Static import declarations in the tokens of a program.

import type { Token } from "./tokens.ts";

export type ImportedName = { imported: string; local: string };

export type ImportDeclaration = {
  start: number;
  end: number;
  /** Offset of the module name, where errors about it point. */
  moduleStart: number;
  module: string;
  /** Local name of `import * as name`. */
  star: string | undefined;
  /** Local name of `import name from`. */
  standard: string | undefined;
  names: ImportedName[];
  /** `import type`: nothing is left of it at run time. */
  typeOnly: boolean;
};

/** The declaration that begins at tokens[at], or undefined if it is `import(...)`, `import.meta` or unfinished. */
export function importAt(tokens: Token[], at: number): ImportDeclaration | undefined {
  const next = tokens[at + 1]?.text;
  if (next === undefined || next === "(" || next === "." || tokens[at - 1]?.text === ".") return undefined;
  const nameAt = tokens.findIndex((token, index) =>
    index > at && token.kind === "string" && isModuleName(tokens, at, index)
  );
  if (nameAt < 0) return undefined;
  const name = tokens[nameAt];
  const clause = tokens.slice(at + 1, nameAt);
  return {
    start: tokens[at].start,
    end: declarationEnd(tokens, nameAt),
    moduleStart: name.start,
    module: name.text.slice(1, -1),
    ...parseClause(clause),
  };
}

/** The module name is the first string outside braces: right after `import` or after `from`. */
function isModuleName(tokens: Token[], importAt: number, at: number): boolean {
  return tokens[at].depth === tokens[importAt].depth && (at === importAt + 1 || tokens[at - 1].text === "from");
}

/** Behind `with {...}` and a semicolon. */
function declarationEnd(tokens: Token[], nameAt: number): number {
  let last = nameAt;
  if (tokens[last + 1]?.text === "with" && tokens[last + 2]?.text === "{") {
    while (last + 1 < tokens.length && tokens[last].text !== "}") last++;
  }
  if (tokens[last + 1]?.text === ";") last++;
  return tokens[last].end;
}

function parseClause(clause: Token[]): Pick<ImportDeclaration, "star" | "standard" | "names" | "typeOnly"> {
  const texts = clause.map((token) => token.text);
  // `import type from "x"` and `import type, {a} from "x"` import a default that is called `type`.
  const typeOnly = texts[0] === "type" && texts[1] !== "from" && texts[1] !== ",";
  if (typeOnly) texts.shift();
  const starAt = texts.indexOf("*");
  const open = texts.indexOf("{");
  const isName = texts.length > 0 && texts[0] !== "{" && texts[0] !== "*";
  return {
    typeOnly,
    star: starAt < 0 ? undefined : texts[starAt + 2],
    standard: isName ? texts[0] : undefined,
    names: open < 0 ? [] : namedImports(texts.slice(open + 1, texts.indexOf("}", open))),
  };
}

function namedImports(texts: string[]): ImportedName[] {
  const names: ImportedName[] = [];
  for (const words of splitAtCommas(texts)) {
    if (words.length === 0 || (words[0] === "type" && words.length > 1 && words[1] !== "as")) continue;
    names.push({ imported: words[0], local: words.at(-1)! });
  }
  return names;
}

function splitAtCommas(texts: string[]): string[][] {
  const groups: string[][] = [[]];
  for (const text of texts) {
    if (text === ",") groups.push([]);
    else groups.at(-1)!.push(text);
  }
  return groups;
}
