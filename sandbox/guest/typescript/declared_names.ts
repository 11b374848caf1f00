// The names that a program may declare at its top level. Too many are no harm: a name that is no binding of the program
// is noticed when it is registered. So this knows nothing of scopes, and little of syntax.

import { type Token, tokenize } from "./tokens.ts";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
/** Words that can be no name in a strict async function. */
const RESERVED = new Set(
  ("arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield").split(" "),
);
const NONE = -1;

/** Of JavaScript, without types. */
export function declaredNames(code: string): string[] {
  const names = new Set<string>();
  const scan = new Scan();
  for (const token of tokenize(code)) {
    if (scan.mayDeclare(token) && IDENTIFIER.test(token.text) && !RESERVED.has(token.text)) names.add(token.text);
  }
  return [...names];
}

class Scan {
  /** The two words or characters before. */
  #previous = "";
  #beforePrevious = "";
  /** Depth of the pattern being read, such as `{a, b: [c]}`. */
  #pattern = NONE;
  /** Depth of the `var` being read, which declares a name for the program from inside of a block, too. */
  #var = NONE;

  mayDeclare(token: Token): boolean {
    const { depth, text } = token;
    if (depth <= this.#pattern) this.#pattern = NONE;
    if (depth < this.#var || text === ";") this.#var = NONE;
    if (text === "var") this.#var = depth;
    const declares = token.kind === "word" && (this.#pattern !== NONE || this.#followsDeclaration(depth));
    if (this.#pattern === NONE && (text === "{" || text === "[") && this.#followsDeclaration(depth)) {
      this.#pattern = depth;
    }
    this.#beforePrevious = this.#previous;
    this.#previous = text;
    return declares;
  }

  #followsDeclaration(depth: number): boolean {
    const previous = this.#previous;
    if (depth !== 0 && depth !== this.#var) return false;
    if (previous === "," || previous === "var") return true;
    return depth === 0 &&
      (/^(?:const|let|function|class)$/.test(previous) || (previous === "*" && this.#beforePrevious === "function"));
  }
}
