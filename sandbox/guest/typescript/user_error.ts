// What user code threw, as the host is told: the position in the user's own code and a stack with none of our frames.

import { withoutAdvice } from "./deno_advice.ts";
import { causesOf, membersOf } from "./error_parts.ts";
import { describeResult, hintFor, lineOf } from "./hints.ts";
import {
  create,
  indexOf,
  isErrorInstance,
  match,
  replaceAll,
  slice,
  split,
  startsWith,
  toText,
  trim,
} from "./intrinsics.ts";
import { toJsonText } from "./json_value.ts";
import { MCPError } from "./mcp_error.ts";
import { type Position, type SourceError, userPosition } from "./module_source.ts";

/** How the user's code is called in stacks. */
export const FILE_NAME = "code.ts";
const START: Position = { line: 1, column: 1 };
/** Functions of older programs of a session are no longer told from Deno's. */
const MAX_PROGRAMS = 1000;
/** Causes of causes, and members of members, beyond this are only counted; a cause may be its own cause. */
const MAX_LEVELS = 5;
/** Of one error. */
const MAX_MEMBERS = 15;
/** Of one report, at all levels. */
const MAX_INNER = 60;
/** Characters of a message, and of what is no error: several times what the host shows. */
const MAX_THROWN = 1 << 18;
const MEMBER_INDENT = "    ";

export type ErrorReport = {
  name: string;
  message: string;
  line?: number;
  column?: number;
  stack?: string;
  code?: unknown;
  server?: unknown;
  tool?: unknown;
  suggestions?: unknown;
  exitCode?: number;
};

/** What a program became. */
export type Unit = {
  number: number;
  /** What stands before a position in a stack. */
  place: string;
  headLength: number;
  /** End of the user's code. */
  end: Position;
  /** The user's code. */
  code: string;
};

/** Knows what the user's code became, and translates what goes wrong in it. */
export class UserErrors {
  #units: Unit[] = [];
  #added = 0;
  /** The one that runs, or ran last. */
  #current: Unit | undefined;
  /** What the last call has returned, in words. */
  #lastResult: string | undefined;
  /** How many inner errors the report that is being made can still show. */
  #innerLeft = 0;

  /** The next program is the first, second... of this guest. */
  nextNumber(): number {
    return this.#added + 1;
  }

  add(unit: Unit): void {
    // Only the text of the one that runs is of use, and it may be long.
    if (this.#current !== undefined) this.#current.code = "";
    this.#units[this.#added++ % MAX_PROGRAMS] = unit;
    this.#current = unit;
    this.#lastResult = undefined;
  }

  /** What a tool has returned: for hints on how results are used. */
  called(value: unknown): void {
    this.#lastResult = describeResult(value);
  }

  /** An error of the running program. */
  thrown(error: unknown): ErrorReport {
    if (!isErrorInstance(error)) return plain("Error", thrownText(error));
    const report = plain(textOf(error, "name", "Error"), this.#cleaned(textOf(error, "message", "")));
    const frames = this.#frames(error);
    const first = frames[0];
    if (first !== undefined && first.unit === this.#current) {
      report.line = first.position.line;
      report.column = first.position.column;
    }
    report.message += this.#hint(report);
    this.#innerLeft = MAX_INNER;
    report.stack = this.#whole(error, report, frames, "", 0);
    if (error instanceof MCPError) copyDetails(error, report);
    return report;
  }

  /** An error while the program was loaded: its syntax, or an import. */
  notLoaded(error: unknown): ErrorReport {
    if (!isErrorInstance(error)) return this.thrown(error);
    const lines = split(withoutColors(error.message), "\n");
    const at = this.#positionIn(lines[lines.length - 1]) ?? this.#positionIn(lines[0]);
    let message = lines[0];
    const ownPlace = this.#current === undefined ? -1 : indexOf(message, ` at ${this.#current.place}`);
    if (ownPlace >= 0) message = slice(message, 0, ownPlace);
    // Deno's parser reports through a TypeError whose message begins with the real name.
    const isSyntax = startsWith(message, "SyntaxError: ");
    if (isSyntax) message = slice(message, "SyntaxError: ".length);
    const report = plain(isSyntax ? "SyntaxError" : error.name, this.#cleaned(message));
    return at === undefined ? report : placed(report, at.position ?? START);
  }

  /** Text for stderr about an error that did not end the program. */
  text(error: unknown): string {
    const { name, message, stack } = this.thrown(error);
    return stack ?? `${name}: ${message}`;
  }

  #hint({ name, message, line }: ErrorReport): string {
    const code = line === undefined ? "" : lineOf(this.#current!.code, line);
    return hintFor(name, message, code, this.#lastResult);
  }

  /** The error with its members and causes. `indent` stands before each line but the first. */
  #whole(error: Error, { name, message }: ErrorReport, frames: Frame[], indent: string, level: number): string {
    let text = message === "" ? name : `${name}: ${message}`;
    for (let i = 0; i < frames.length; i++) text += `\n${indent}    at ${frames[i].text}`;
    text += this.#members(error, indent + MEMBER_INDENT, level);
    const causes = causesOf(error);
    for (let i = 0; i < causes.length; i++) {
      const { label, value } = causes[i];
      text += `\n${indent}${label}: ${this.#shows(level) ? this.#inner(value, true, indent, level) : "..."}`;
    }
    return text;
  }

  #members(error: Error, indent: string, level: number): string {
    const { members, more } = membersOf(error, MAX_MEMBERS);
    let text = "";
    let shown = 0;
    for (; shown < members.length && this.#shows(level); shown++) {
      text += `\n${indent}[${shown}] ${this.#inner(members[shown], false, indent, level)}`;
    }
    const left = members.length - shown + more;
    return left > 0 ? `${text}\n${indent}... and ${left} more` : text;
  }

  #shows(level: number): boolean {
    return level < MAX_LEVELS && this.#innerLeft > 0;
  }

  /** What an error has inside, which may be anything. */
  #inner(value: unknown, hasFrames: boolean, indent: string, level: number): string {
    this.#innerLeft--;
    if (!isErrorInstance(value)) return thrownText(value);
    const head = plain(textOf(value, "name", "Error"), this.#cleaned(textOf(value, "message", "")));
    return this.#whole(value, head, hasFrames ? this.#frames(value) : [], indent, level + 1);
  }

  /** The frames of the user's code; others lie inside Deno or the guest. */
  #frames(error: Error): Frame[] {
    const lines = split(textOf(error, "stack", ""), "\n");
    const frames: Frame[] = [];
    for (let i = 0; i < lines.length; i++) {
      const line = trim(lines[i]);
      if (!startsWith(line, "at ")) continue;
      const at = this.#positionIn(line);
      if (at?.position === undefined) continue;
      const file = at.unit === this.#current ? FILE_NAME : numbered(at.unit.number);
      const place = `${file}:${at.position.line}:${at.position.column}`;
      const name = frameName(line);
      const text = name === undefined ? place : `${name} (${place})`;
      frames[frames.length] = { unit: at.unit, position: at.position, text };
    }
    return frames;
  }

  #positionIn(line: string): Place | undefined {
    for (let i = 0; i < this.#units.length; i++) {
      const unit = this.#units[i];
      const at = indexOf(line, `${unit.place}:`);
      if (at < 0) continue;
      const numbers = match(/^:(\d+):(\d+)/, slice(line, at + unit.place.length));
      if (numbers === null) continue;
      return { unit, position: userPosition({ line: +numbers[1], column: +numbers[2] }, unit.headLength, unit.end) };
    }
    return undefined;
  }

  /** A message without colours and without our name for the user's module. */
  #cleaned(message: string): string {
    const text = withoutAdvice(withoutColors(slice(message, 0, MAX_THROWN)));
    if (this.#current === undefined) return text;
    const { place } = this.#current;
    const trailer = indexOf(text, `\n    at ${place}`);
    return replaceAll(trailer < 0 ? text : slice(text, 0, trailer), place, FILE_NAME);
  }
}

/** The position is undefined in what we have put before the user's code. */
type Place = { unit: Unit; position: Position | undefined };
type Frame = { unit: Unit; position: Position; text: string };

/** The program's outermost function and, in a script, all that have no name carry a name that says nothing. */
const NO_NAME = /^(?:async )?(?:\w+\.)?(?:default|eval)(?: \[as .*\])?$/;

function frameName(line: string): string | undefined {
  const name = match(/^at (.+?) \(/, line)?.[1];
  return name === undefined || match(NO_NAME, name) !== null ? undefined : name;
}

/** How a program is called in the stacks of those after it. */
export function numbered(number: number): string {
  return `${FILE_NAME}#${number}`;
}

/** A report of an error in the source itself. */
export function sourceErrorReport(error: SourceError): ErrorReport {
  return placed(plain(error.name, error.message), error.position);
}

function plain(name: string, message: string): ErrorReport {
  const report = create(null);
  report.name = name;
  report.message = message;
  return report;
}

function placed(report: ErrorReport, { line, column }: Position): ErrorReport {
  report.line = line;
  report.column = column;
  report.stack = `${report.name}: ${report.message}\n    at ${FILE_NAME}:${line}:${column}`;
  return report;
}

function copyDetails(error: MCPError, report: ErrorReport): void {
  report.code = error.code;
  report.server = error.server;
  report.tool = error.tool;
  report.suggestions = error.suggestions;
}

function thrownText(value: unknown): string {
  if (typeof value === "string") return slice(value, 0, MAX_THROWN);
  try {
    return toJsonText(value, MAX_THROWN) ?? "undefined";
  } catch {
    return `a value that takes more than ${MAX_THROWN} characters`;
  }
}

/** A text property of an error; user code may have made it anything, or made reading it fail. */
function textOf(error: Error, name: "name" | "message" | "stack", otherwise: string): string {
  try {
    const value = error[name];
    return value === undefined || value === null ? otherwise : toText(value);
  } catch {
    return otherwise;
  }
}

function withoutColors(text: string): string {
  const parts = split(text, "\x1b[");
  let plainText = parts[0];
  for (let i = 1; i < parts.length; i++) plainText += slice(parts[i], indexOf(parts[i], "m") + 1);
  return plainText;
}
