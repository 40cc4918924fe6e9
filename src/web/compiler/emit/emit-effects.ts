/** Step 4, browser code: emits the effects and resources of a component, which a scope starts. */
import type { Module } from "../analyze/analyze.ts";
import { readsOf } from "../analyze/effect-reads.ts";
import type { Captures, Place } from "../extract/captures.ts";
import { attempt, type Extraction } from "../extract/extraction.ts";
import type { Code, ResourceCall, Scope } from "../model.ts";
import type { Node } from "../parse/ast.ts";
import type { ClientModule } from "./client-module.ts";

export class EffectEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #captures: Captures;
  readonly #extraction: Extraction;

  constructor(module: Module, client: ClientModule, captures: Captures, extraction: Extraction) {
    this.#module = module;
    this.#client = client;
    this.#captures = captures;
    this.#extraction = extraction;
  }

  /** Starts those of a scope. An error is kept, so that the others are checked too. */
  bindAll(scope: Scope, body: Code): void {
    for (const resource of scope.resources) attempt(this.#extraction, () => this.#bindResource(resource, scope, body));
    for (const effect of scope.effects) attempt(this.#extraction, () => this.bind(effect, scope, body));
  }

  bind(effect: Node, scope: Scope, body: Code): void {
    this.#captures.capture(effect, { scope, level: 0, isBinding: true });
    const part = (name: string): string => this.#client.part("effect", name, scope);
    body.push(`${part("E")}(`, effect, ", [", ...readsOf(this.#module, effect, () => part("Called")), "]);\n");
  }

  #bindResource({ binding, source, fetcher }: ResourceCall, scope: Scope, body: Code): void {
    const place: Place = { scope, level: 0, isBinding: true };
    this.#connect(this.#captures.slotOf(binding, place), [source, fetcher], place, body);
  }

  /** Connects the resource in the first slot with its source and fetcher. */
  fetchAgain(fetch: readonly Node[], place: Place, body: Code): void {
    this.#connect(`${this.#client.names.slots}[0]`, fetch, place, body);
  }

  #connect(resource: string, fetch: readonly Node[], place: Place, body: Code): void {
    for (const code of fetch) this.#captures.capture(code, place);
    body.push(
      `${this.#client.part("resource", "R", place.scope)}(${resource}`,
      ...fetch.flatMap((code): Code => [", ", code]),
      ");\n",
    );
  }

  /** Emits a function that starts an effect of a hook. */
  hookEffect(scope: Scope, effect: Node, symbol: string): void {
    const body: Code = [];
    this.bind(effect, scope, body);
    this.#emitStart(scope, body, symbol);
  }

  /** Emits a function that connects the resource of a hook, which is in the first slot. */
  hookResource(scope: Scope, fetch: readonly Node[], symbol: string): void {
    const body: Code = [];
    this.fetchAgain(fetch, { scope, level: 0, isBinding: true }, body);
    this.#emitStart(scope, body, symbol);
  }

  #emitStart(scope: Scope, body: Code, symbol: string): void {
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    this.#client.add(scope.edits, [`export const ${symbol} = (${this.#client.names.slots}) => {\n`, ...body, "};\n"]);
  }

  /** Emits a function that starts a function of `onLoad` in a hook. */
  hookLoad(scope: Scope, run: Node, symbol: string): void {
    this.#captures.capture(run, { scope, level: 0, isBinding: false });
    const load = this.#client.part("effect", "M", scope);
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    this.#client.add(scope.edits, [`export const ${symbol} = (${this.#client.names.slots}) => ${load}(`, run, ");\n"]);
  }
}
