/** The text of an error for the terminal. */

/** Calls in the toolchain, which an app developer can't change. The lines before the first call are the message, which may name its files. */
const TOOLS = /^\s+at .*(?:[\\/]node_modules[\\/](?:vite|rolldown)[\\/]|\(node:internal|at node:internal)/;

/** Errors of svc explain themselves. Other errors are shown with their stack. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isViteMissing(error)) return VITE_MISSING;
  if (isViteOlder(error)) return VITE_OLDER;
  if (!isOurs(error)) return withoutTools(error.stack) ?? error.message;
  return error.message.startsWith(error.code) ? error.message : `${error.code}: ${error.message}`;
}

const VITE_MISSING =
  'SVC_CONFIG: This command needs the package "vite", which is not installed. Add it to the devDependencies of the app: npm install --save-dev vite@8';

/** Node and Yarn's PnP report a missing package with different codes and texts; a file that is missing inside of vite has another text. */
function isViteMissing(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return false;
  return /Cannot find package 'vite'|tried to access vite\b/.test(error.message);
}

const VITE_OLDER =
  'SVC_CONFIG: svc needs version 8 of the package "vite", and another one is installed. Run: npm install --save-dev vite@8';

/**
 * The text of an error whose reason is a damaged installation of Vite: a file of it, or of a package that it needs, is missing or broken.
 * Node's message then names no command, and sometimes no file.
 * @param load imports Vite. A second import fails with the same message
 * @returns undefined for any other error
 */
export async function viteDamage(error: unknown, load: () => Promise<unknown>): Promise<string | undefined> {
  if (!(error instanceof Error) || isOurs(error) || isViteMissing(error) || isViteOlder(error)) return undefined;
  const reason = await load().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(reason instanceof Error) || reason.message !== error.message) return undefined;
  return `SVC_CONFIG: The installed package "vite" is damaged: ${error.message.split("\n")[0]}. Delete the folder node_modules and install the packages of the app again, for example with: npm install`;
}

/** Node links modules before it runs them, so an export that an older version lacks is a syntax error. */
function isViteOlder(error: Error): boolean {
  return (
    error instanceof SyntaxError &&
    /^The requested module 'vite(?:\/[\w-]+)?' does not provide an export/.test(error.message)
  );
}

/** Recognised by name, not by class: Vite returns copies of compiler errors, and an app may have its own copy of svc. */
export function isOurs(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === "SvcError" && "code" in error && typeof error.code === "string";
}

function withoutTools(stack: string | undefined): string | undefined {
  return stack
    ?.split("\n")
    .filter((line) => !TOOLS.test(line))
    .join("\n");
}
