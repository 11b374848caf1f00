// One run of user code.

import { moduleSource, SourceError } from "./module_source.ts";
import { type ErrorReport, sourceErrorReport, UserErrors } from "./user_error.ts";
import { reportStrayErrors } from "./stray_errors.ts";

export type Outcome = { result: unknown } | { error: ErrorReport };

type Main = (...wrappers: object[]) => Promise<unknown>;

/** Runs the code to its end. Never rejects: what user code throws is an outcome. */
export async function runProgram(code: string, mcp: object): Promise<Outcome> {
  let source;
  try {
    source = moduleSource(code);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { error: sourceErrorReport(error) };
  }
  const url = URL.createObjectURL(new Blob([source.text], { type: "application/typescript" }));
  const errors = new UserErrors(url, source);
  reportStrayErrors(errors);
  let main: Main;
  try {
    main = (await import(url)).default;
  } catch (error) {
    return { error: errors.notLoaded(error) };
  }
  try {
    return { result: await main(...Array<object>(main.length).fill(mcp)) };
  } catch (error) {
    return { error: errors.thrown(error) };
  }
}
