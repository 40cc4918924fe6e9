/**
 * `import.meta.hot` of server modules under `svc dev`. An edit evaluates all modules again, so the earlier ones must close what they
 * opened: they register callbacks with `import.meta.hot.dispose`, and the reloader calls them once the old app has closed.
 */
import { ESModulesEvaluator, ssrImportMetaKey, type ModuleRunnerContext } from "vite/module-runner";
import { SvcError } from "../../../platform/shared/errors.ts";

/** Called with the module's `import.meta.hot.data`. */
type Dispose = (data: object) => void | Promise<void>;

/** @throws SvcError `SVC_RUNTIME` under Node's `--disallow-code-generation-from-strings` */
export function createHotModules(): HotModules {
  try {
    return new HotModules();
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    throw new SvcError(
      "SVC_RUNTIME",
      "svc dev evaluates the modules of the app from text, which --disallow-code-generation-from-strings forbids. Run it without this option; svc build and svc start work with it",
      { cause: error },
    );
  }
}

export class HotModules extends ESModulesEvaluator {
  /** Callbacks of the modules evaluated since the last call of `takeDisposals`. */
  #disposals: (() => void | Promise<void>)[] = [];
  /** By URL of the module. The same object after each edit, so that a module can pass values to its successor. */
  readonly #data = new Map<string, object>();

  override runInlinedModule(context: ModuleRunnerContext, code: string): Promise<unknown> {
    const meta = context[ssrImportMetaKey];
    Reflect.set(meta, "hot", this.#contextOf(String(meta.url)));
    return super.runInlinedModule(context, code);
  }

  /** @returns a function that calls the callbacks registered so far, the last first. It throws AggregateError if any of them failed. */
  takeDisposals(): () => Promise<void> {
    const disposals = this.#disposals.reverse();
    this.#disposals = [];
    return async () => {
      const errors: unknown[] = [];
      for (const dispose of disposals.splice(0)) {
        try {
          await dispose();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw new AggregateError(errors, "import.meta.hot.dispose failed", { cause: errors[0] });
    };
  }

  /** The part of Vite's hot context that has a meaning on the server. Every edit is accepted, so the rest has no effect. */
  #contextOf(url: string): object {
    const data = this.#data.get(url) ?? {};
    this.#data.set(url, data);
    const none = (): void => undefined;
    return {
      data,
      dispose: (run: Dispose) => void this.#disposals.push(() => run(data)),
      accept: none,
      acceptExports: none,
      prune: none,
      decline: none,
      invalidate: none,
      on: none,
      off: none,
      send: none,
    };
  }
}
