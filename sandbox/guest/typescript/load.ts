// From a program's text to the function that it is.
//
// Deno's own loader knows all of TypeScript, but takes milliseconds: it resolves, parses, transpiles and stores a
// module. Most programs are JavaScript once their types are blanked out, which takes microseconds and moves nothing;
// they are evaluated as they are. What is left goes to the loader, which also says best what is wrong with a program.

import { declaredNames } from "./declared_names.ts";
import { BlobClass, createObjectURL, evaluate, indexOf, isFunctionBody, revokeObjectURL } from "./intrinsics.ts";
import { keepNamesCode } from "./kept_names.ts";
import { functionHead, type ModuleSource, programText } from "./module_source.ts";
import { transformTypes, withoutTypes } from "./types.ts";
import { FILE_NAME, numbered, type UserErrors } from "./user_error.ts";

export type Main = (...parameters: unknown[]) => Promise<unknown>;

export type Program = {
  main: Main;
  /** The body as JavaScript. */
  javaScript: string;
};

export class Loader {
  #errors: UserErrors;

  constructor(errors: UserErrors) {
    this.#errors = errors;
  }

  /** Throws what Deno's loader throws. With `keep`, the function wants `KeptNames.register` as its first argument. */
  async load(source: ModuleSource, keep: boolean): Promise<Program> {
    return this.#script(source, keep) ?? await this.#module(source, keep);
  }

  #script(source: ModuleSource, keep: boolean): Program | undefined {
    const { body } = source;
    // Without an angle bracket, what JavaScript accepts means the same in TypeScript.
    const javaScript = indexOf(body, "<") < 0 && isFunctionBody(body) ? body : withoutTypes(body);
    return javaScript === undefined ? undefined : this.#evaluated(source, javaScript, keep);
  }

  #evaluated(source: ModuleSource, javaScript: string, keep: boolean): Program | undefined {
    const head = headOf(source, javaScript, keep);
    const number = this.#errors.nextNumber();
    const name = number === 1 ? FILE_NAME : numbered(number);
    try {
      const main = evaluate(`${programText("script", head, javaScript)}\n//# sourceURL=${name}`) as Main;
      this.#errors.add({
        number,
        place: `${name}, <anonymous>`,
        headLength: head.length,
        end: source.end,
        code: source.body,
      });
      return { main, javaScript };
    } catch {
      return undefined;
    }
  }

  async #module(source: ModuleSource, keep: boolean): Promise<Program> {
    const javaScript = transformTypes(source.body) ?? source.body;
    const head = headOf(source, javaScript, keep);
    const text = programText("module", head, source.body);
    const place = createObjectURL(new BlobClass([text], { type: "application/typescript" }));
    this.#errors.add({
      number: this.#errors.nextNumber(),
      place,
      headLength: head.length,
      end: source.end,
      code: source.body,
    });
    try {
      return { main: (await import(place)).default, javaScript };
    } finally {
      revokeObjectURL(place);
    }
  }
}

function headOf(source: ModuleSource, javaScript: string, keep: boolean): string {
  return functionHead(
    source.imports,
    keep ? keepNamesCode([...importedNames(source), ...declaredNames(javaScript)]) : "",
  );
}

function importedNames({ imports }: ModuleSource): string[] {
  return imports.flatMap(({ locals }) => locals);
}
