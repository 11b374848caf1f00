// What user code threw, as the host is told: the position in the user's own code and a stack with none of our frames.

import {
  create,
  indexOf,
  isArray,
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
import type { ModuleSource, Position } from "./module_source.ts";
import { SourceError } from "./module_source.ts";

/** How the user's code is called in stacks. */
const FILE_NAME = "code.ts";
/** Causes of causes beyond this are left out; a cause may be its own cause. */
const MAX_CAUSES = 5;

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

/** Knows the module that the user's code became, and translates what goes wrong in it. */
export class UserErrors {
  #url: string;
  #source: ModuleSource;

  constructor(url: string, source: ModuleSource) {
    this.#url = url;
    this.#source = source;
  }

  /** An error of the running program. */
  thrown(error: unknown): ErrorReport {
    if (!isErrorInstance(error)) return plain("Error", thrownText(error));
    const report = plain(textOf(error, "name", "Error"), this.#cleaned(textOf(error, "message", "")));
    const frames = this.#frames(error);
    const first = frames[0]?.position;
    if (first !== undefined) {
      report.line = first.line;
      report.column = first.column;
    }
    report.stack = this.#stackText(error, report, frames) + this.#causes(error, 0);
    if (error instanceof MCPError) copyDetails(error, report);
    return report;
  }

  /** An error while the program was loaded: its syntax, or an import. */
  notLoaded(error: unknown): ErrorReport {
    if (!isErrorInstance(error)) return this.thrown(error);
    const lines = split(withoutColors(error.message), "\n");
    const at = this.#positionIn(lines[lines.length - 1]) ?? this.#positionIn(lines[0]);
    let message = lines[0];
    const ownPlace = indexOf(message, ` at ${this.#url}`);
    if (ownPlace >= 0) message = slice(message, 0, ownPlace);
    // Deno's parser reports through a TypeError whose message begins with the real name.
    const isSyntax = startsWith(message, "SyntaxError: ");
    if (isSyntax) message = slice(message, "SyntaxError: ".length);
    const report = plain(isSyntax ? "SyntaxError" : error.name, this.#cleaned(message));
    return at === undefined ? report : placed(report, this.#source.userPosition(at));
  }

  /** Text for stderr about an error that did not end the program. */
  text(error: unknown): string {
    const { name, message, stack } = this.thrown(error);
    return stack ?? `${name}: ${message}`;
  }

  #stackText(error: Error, { name, message }: ErrorReport, frames: Frame[]): string {
    let text = message === "" ? name : `${name}: ${message}`;
    for (let i = 0; i < frames.length; i++) text += `\n    at ${frames[i].text}`;
    const { errors } = error as { errors?: unknown };
    if (!isArray(errors)) return text;
    for (let i = 0; i < errors.length && i < MAX_CAUSES; i++) {
      text += `\n    [${i}] ${
        isErrorInstance(errors[i]) ? `${errors[i].name}: ${errors[i].message}` : thrownText(errors[i])
      }`;
    }
    return text;
  }

  #causes(error: Error, depth: number): string {
    const { cause } = error;
    if (cause === undefined || cause === null || depth >= MAX_CAUSES) return "";
    if (!isErrorInstance(cause)) return `\nCaused by: ${thrownText(cause)}`;
    const { name, message } = { name: textOf(cause, "name", "Error"), message: textOf(cause, "message", "") };
    const own = this.#stackText(cause, plain(name, this.#cleaned(message)), this.#frames(cause));
    return `\nCaused by: ${own}${this.#causes(cause, depth + 1)}`;
  }

  /** The frames of the user's code; others lie inside Deno or the guest. */
  #frames(error: Error): Frame[] {
    const lines = split(textOf(error, "stack", ""), "\n");
    const frames: Frame[] = [];
    for (let i = 0; i < lines.length; i++) {
      const line = trim(lines[i]);
      if (!startsWith(line, "at ")) continue;
      const position = this.#positionIn(line);
      if (position === undefined) continue;
      const user = this.#source.userPosition(position);
      const place = `${FILE_NAME}:${user.line}:${user.column}`;
      const name = match(FRAME_NAME, line)?.[1];
      frames[frames.length] = { position: user, text: name === undefined ? place : `${name} (${place})` };
    }
    return frames;
  }

  #positionIn(line: string): Position | undefined {
    const at = indexOf(line, this.#url);
    if (at < 0) return undefined;
    const numbers = match(/^:(\d+):(\d+)/, slice(line, at + this.#url.length));
    return numbers === null ? undefined : { line: +numbers[1], column: +numbers[2] };
  }

  /** A message without colours and without our name for the user's module. */
  #cleaned(message: string): string {
    const text = withoutColors(message);
    const trailer = indexOf(text, `\n    at ${this.#url}`);
    return replaceAll(trailer < 0 ? text : slice(text, 0, trailer), this.#url, FILE_NAME);
  }
}

type Frame = { position: Position; text: string };

/** The function of a frame; the program's outermost function (`default`) is ours in name only. */
const FRAME_NAME = /^at (?!(?:async )?(?:Module\.)?default \()(.+) \(/;

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
  if (typeof value === "string") return value;
  return toJsonText(value) ?? "undefined";
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
