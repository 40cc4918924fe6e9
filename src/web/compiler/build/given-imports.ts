/** Finds imports whose values the browser can't get, from the code of the file that exports them. */
import { exportedDeclaration, exportedFunction, instanceMadeBy } from "../analyze/instances.ts";
import { HANDLER_NAME } from "../analyze/prop-names.ts";
import type { SourceFile } from "../diagnostics.ts";
import type { ClientImport } from "../emit/client-module.ts";
import { unserialisableMessage } from "../extract/captures.ts";
import { parse } from "../parse/parse.ts";

/** A reason to refuse an import. */
export interface ImportProblem {
  code: "SVC103" | "SVC107";
  text: string;
}

/** A function whose result browser code captures, and that returns an instance of a class. @param target the file that exports it */
export function factoryProblem({ imported, local }: ClientImport, target: SourceFile): ImportProblem | undefined {
  const fn = exportedFunction(parse(target), imported);
  const name = fn && instanceMadeBy(fn);
  return name === undefined
    ? undefined
    : { code: "SVC107", text: unserialisableMessage(local, `an instance of ${name}`) };
}

/** An object that is spread on an element, or a function that returns it, with a handler. @param target the file that exports it */
export function spreadProblem({ imported }: ClientImport, target: SourceFile): ImportProblem | undefined {
  const found = exportedDeclaration(parse(target), imported);
  const handler = found && HANDLER_NAME.exec(target.text.slice(found.start, found.end))?.[1];
  if (handler === undefined) return undefined;
  return {
    code: "SVC103",
    text: `The spread contains the handler ${handler} of ${target.path}, which the browser can't create from here. Write it as an attribute: ${handler}={…}. Or return it from a hook, a function such as useButton(), and spread what the hook returns.`,
  };
}
