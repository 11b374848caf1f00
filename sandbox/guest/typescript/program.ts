// Runs user code, program after program.

import { apply } from "./intrinsics.ts";
import { KeptNames } from "./kept_names.ts";
import { Loader, type Program } from "./load.ts";
import { moduleSource, SourceError } from "./module_source.ts";
import { importedValues } from "./imported_values.ts";
import { type ErrorReport, sourceErrorReport, type UserErrors } from "./user_error.ts";

/** Always has both, as its own: user code may have given all objects a property of either name. */
export type Outcome = { result: unknown; error: undefined } | { result: undefined; error: ErrorReport };

export class Programs {
  #errors: UserErrors;
  #loader: Loader;
  #keptNames = new KeptNames();
  #mcp: object;

  constructor(errors: UserErrors, mcp: object) {
    this.#errors = errors;
    this.#loader = new Loader(errors);
    this.#mcp = mcp;
  }

  /** Runs a program to its end; with `keep`, its names stay for those after it. Never rejects. */
  async run(code: string, keep: boolean): Promise<Outcome> {
    let program: Program;
    let values: unknown[];
    try {
      const source = moduleSource(code);
      program = await this.#loader.load(source, keep);
      values = await importedValues(source.imports, program.javaScript, this.#mcp);
    } catch (error) {
      return failure(error instanceof SourceError ? sourceErrorReport(error) : this.#errors.notLoaded(error));
    }
    try {
      const result = await apply(program.main, undefined, keep ? [this.#keptNames.register, ...values] : values);
      return { result, error: undefined };
    } catch (error) {
      return failure(this.#errors.thrown(error));
    } finally {
      this.#keptNames.settle();
    }
  }
}

function failure(error: ErrorReport): Outcome {
  return { result: undefined, error };
}
