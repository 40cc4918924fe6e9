/**
 * Modules of create functions (emit/emit-create.ts): how an import of one is resolved, its code, and the refusal of components that run only
 * on the server. A module may contain components that no browser code creates, so only those that it does create are refused.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { Diagnostic } from "../diagnostics.ts";
import { Problems } from "../problems.ts";
import { CREATE_QUERY, type ClientImport } from "../emit/client-module.ts";
import type { CreateModule } from "../emit/emit-create.ts";

/** A compiled module of create functions. */
export interface CreateFile extends CreateModule {
  /** Path of its TSX file, relative to the app root. */
  readonly path: string;
}

/** What the check asks of the plugin. */
export interface CreateSource {
  /** @returns absolute path of the module behind an import; undefined if it has no create functions */
  moduleOf(source: string, importer: string): Promise<string | undefined>;
  compiled(module: string): Promise<CreateFile>;
}

/** Whether a module may contain components of the app, or export those of others. @param id absolute path */
export function mayCreate(id: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(id) && !id.includes("/node_modules/");
}

/** Code that exports what a module exports beside its create functions. @param module absolute path of the module itself */
export function otherExports({ others }: CreateModule, module: string): string {
  return others.length === 0 ? "" : `\nexport { ${others.join(", ")} } from ${JSON.stringify(module)};`;
}

/**
 * @param used imports of browser code. @param importer absolute path of its module. @param path the same, relative to the app root
 * @throws SvcError if a component that the browser creates, or one inside it, runs only on the server. The message says why it is created.
 */
export async function refuseServerComponents(
  create: CreateSource,
  used: readonly ClientImport[],
  importer: string,
  path: string,
): Promise<void> {
  const seen = new Set<string>();
  const problems = new Problems();
  const check = async (imports: readonly ClientImport[], from: string, steps: readonly string[]): Promise<void> => {
    for (const { source, imported, local } of imports) {
      if (!source.endsWith(CREATE_QUERY)) continue;
      const module = await create.moduleOf(source.slice(0, -CREATE_QUERY.length), from);
      if (module === undefined || seen.has(`${module} ${imported}`)) continue;
      seen.add(`${module} ${imported}`);
      const file = await create.compiled(module);
      for (const name of imported === "*" ? file.uses.keys() : [imported]) {
        const problem = file.problems.get(name);
        if (problem) problems.add(withReason(problem, steps, shownName(name, local)));
        const found = file.uses.get(name) ?? file.reexports.map((item) => ({ ...item, imported: name }));
        await check(found, module, [...steps, `${shownName(name, local)} of ${file.path}`]);
      }
    }
  };
  await check(used, importer, [path]);
  problems.throwAny();
}

/** `<Row>`. A default export has the name under which it is imported. */
function shownName(name: string, local: string): string {
  return `<${name === "default" ? local.replace(/^\$+c_/, "") : name}>`;
}

function withReason(problem: SvcError, steps: readonly string[], name: string): SvcError {
  const place = steps.map((step, at) => (at === 0 ? step : `inside ${step}`)).join(", ");
  const reason = `The browser runs this code because ${place}, shows ${name} in a row or branch that may change.`;
  return problem instanceof Diagnostic
    ? problem.withLine(reason)
    : new SvcError(problem.code, `${problem.message}\n${reason}`);
}
