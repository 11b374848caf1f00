// A tokenizer for TypeScript that is just good enough to find top-level declarations: it knows where comments, strings,
// templates and regular expressions end, and how deep in brackets a token is. It never fails; what is not valid code is
// Deno's to report.

export type Token = {
  kind: "word" | "string" | "template" | "regex" | "punctuation";
  text: string;
  start: number;
  end: number;
  /** How many brackets are open around it. */
  depth: number;
};

const SPACE = /\s+/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const WORD = /[\p{ID_Start}$_#@\d][\p{ID_Continue}$\u200c\u200d]*/yu;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

/** After these words an expression begins, so a slash is a regular expression. */
const BEFORE_EXPRESSION =
  /^(?:return|typeof|case|in|of|delete|void|instanceof|new|throw|await|yield|else|do|extends|default)$/;

export function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  /** For each open bracket: whether it is the `${` of a template, which goes on after the closing brace. */
  const templateHoles: boolean[] = [];
  let at = 0;

  const matchAt = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(code) ? pattern.lastIndex : at;
  };
  const add = (kind: Token["kind"], end: number) => {
    tokens.push({ kind, text: code.slice(at, end), start: at, end, depth: templateHoles.length });
    at = end;
  };
  const templatePart = () => {
    const end = matchAt(TEMPLATE_PART);
    const opensHole = code.slice(at, end).endsWith("${");
    add("template", end);
    if (opensHole) templateHoles.push(true);
  };

  while (at < code.length) {
    const skipped = Math.max(matchAt(SPACE), matchAt(COMMENT));
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const character = code[at];
    if (character === '"' || character === "'") add("string", matchAt(STRING));
    else if (character === "`") {
      add("template", at + 1);
      templatePart();
    } else if (character === "/" && slashIsRegex(tokens.at(-1)) && matchAt(REGEX) > at) add("regex", matchAt(REGEX));
    else if (matchAt(WORD) > at) add("word", matchAt(WORD));
    else if (character === "}" || character === ")" || character === "]") {
      const closesHole = templateHoles.pop();
      add("punctuation", at + 1);
      if (closesHole) templatePart();
    } else {
      add("punctuation", at + 1);
      if (character === "{" || character === "(" || character === "[") templateHoles.push(false);
    }
  }
  return tokens;
}

function slashIsRegex(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "word") return BEFORE_EXPRESSION.test(previous.text);
  return previous.kind === "punctuation" && previous.text !== ")" && previous.text !== "]";
}
