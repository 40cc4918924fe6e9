/** What a person at the terminal is told of an error. */

/** Lines of a stack that nobody can mend who develops an app. */
const TOOLS = /[\\/]node_modules[\\/](?:vite|rolldown)[\\/]|\(node:internal|at node:internal/;

/** Our own errors explain themselves; of others the stack is what helps. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!isOurs(error)) return withoutTools(error.stack) ?? error.message;
  return error.message.startsWith(error.code) ? error.message : `${error.code}: ${error.message}`;
}

/** By name and not by class: those of the compiler come back from Vite as copies, an app may have its own copy of svc. */
export function isOurs(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === "SvcError" && "code" in error && typeof error.code === "string";
}

function withoutTools(stack: string | undefined): string | undefined {
  return stack
    ?.split("\n")
    .filter((line) => !TOOLS.test(line))
    .join("\n");
}
