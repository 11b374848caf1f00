// Errors that nobody awaits: reported, but they do not end the program.

import { consoleError } from "./intrinsics.ts";
import type { UserErrors } from "./user_error.ts";

export function reportStrayErrors(errors: UserErrors): void {
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    consoleError(`Unhandled rejection: ${errors.text(event.reason)}`);
  });
  // Thrown in a timer or another callback.
  addEventListener("error", (event) => {
    event.preventDefault();
    consoleError(`Uncaught error: ${errors.text(event.error)}`);
  });
}
