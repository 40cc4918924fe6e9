/**
 * The contexts that components read which the browser may create. A page contains the values of these contexts, and of no others: a provider
 * may have a value that must stay on the server.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { contextId, providerOf, type ProvidedContexts } from "../context.ts";
import type { TemplateInfo } from "../template-info.ts";

/** What a component or hook uses: contexts that it reads, and values of other modules, such as components, that may use contexts too. */
export type ContextUses = () => readonly [contexts: readonly object[], values: readonly unknown[]];

const known = new WeakMap<object, ContextUses>();
const found = new WeakMap<TemplateInfo, readonly object[]>();
const shared = new WeakMap<ProvidedContexts, ProvidedValue>();

/** A provided value that the browser needs. */
export class ProvidedValue {
  readonly id: string;
  readonly value: unknown;

  constructor(id: string, value: unknown) {
    this.id = id;
    this.value = value;
  }
}

/** Records what an export uses. Called by compiled modules. @returns the export */
export function uses<Value>(value: Value, list: ContextUses): Value {
  if ((typeof value === "object" && value !== null) || typeof value === "function") known.set(value, list);
  return value;
}

/** Values of the providers around a scope that the components may read which the browser creates in it. */
export function providedFor(block: TemplateInfo): ProvidedValue[] {
  if (!block.uses) return [];
  let contexts = found.get(block);
  if (!contexts) found.set(block, (contexts = contextsOf(block.uses)));
  return contexts.flatMap((context) => {
    const provider = providerOf(context);
    return provider ? [valueOf(provider)] : [];
  });
}

function contextsOf(uses: ContextUses): object[] {
  const contexts = new Set<object>();
  const seen = new Set<ContextUses>();
  const visit = (next: ContextUses | undefined): void => {
    if (!next || seen.has(next)) return;
    seen.add(next);
    const [read, values] = next();
    for (const context of read) contexts.add(context);
    for (const value of values)
      if ((typeof value === "object" && value !== null) || typeof value === "function") visit(known.get(value));
  };
  visit(uses);
  return [...contexts];
}

function valueOf(provider: ProvidedContexts): ProvidedValue {
  const before = shared.get(provider);
  if (before) return before;
  const id = contextId(provider.context);
  if (id === undefined)
    throw new SvcError(
      "SVC_DEFINITION",
      "A component that the browser may create reads a context that is not declared at the top of a module of the app. Write const Theme = createContext(…) there.",
    );
  const made = new ProvidedValue(id, provider.value);
  shared.set(provider, made);
  return made;
}
