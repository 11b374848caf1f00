// Errors that nobody awaits: reported, but they do not end the program.

import { consoleError, listen } from "./intrinsics.ts";
import type { UserErrors } from "./user_error.ts";

export function reportStrayErrors(errors: UserErrors): void {
  listen("unhandledrejection", (event) => {
    event.preventDefault();
    consoleError(`Unhandled rejection: ${errors.text(event.reason)}`);
  });
  // Thrown in a timer or another callback.
  listen("error", (event) => {
    event.preventDefault();
    consoleError(`Uncaught error: ${errors.text(event.error)}`);
  });
}
