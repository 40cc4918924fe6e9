/**
 * The scopes of a page, with their captured values and the modules that the browser fetches before it runs their handlers. A scope's
 * attribute is written with its HTML; the rest goes into the state script (page-state.ts).
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { UNBUILT_CHUNK, type Manifest } from "../../../platform/shared/manifest.ts";
import { remembered } from "../../../platform/shared/collections/memoize.ts";
import { CONTEXT_KIND, DOM, FUNCTION_KIND, PATHS } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import type { TemplateInfo } from "../template-info.ts";
import type { PageEvents } from "../page-events.ts";
import type { PageFeatures } from "../widget-scripts.ts";
import { ProvidedValue, providedFor } from "./context-uses.ts";
import { referenceOf } from "./function-props.ts";
import type { FunctionReference } from "./function-reference.ts";
import { modulePreloads, type ScopeModules } from "./module-preloads.ts";
import type { ValueNames } from "./value-names.ts";
import type { CaptureOwner, Made, NestedIndex, ValueTable } from "./values.ts";

/** Part of the runtime that processes state sent after the state script. */
const STREAM = "stream";
/** Part for scopes inside an error boundary. */
const BOUNDARY = "boundary";
/** Part of the runtime that creates function props. */
const FUNCTIONS = "fn";
/** Part that creates components. */
const CREATE = "create";
/** Part of contexts in components that the browser creates. */
const CONTEXT = "context";
/** Part that fetches a CSRF token, for scopes that may call actions on pages without a token. */
const TOKEN = "token";
/** Event of elements when the page has loaded. */
const LOAD = "load";
/** Prefix of chunk module names. */
const HANDLER = "handler/";
/** Chunk of elements whose name is a value (dynamic-element.ts). */
const ELEMENT_CHUNK = "element";

const SCOPE = new RegExp(`( ${DOM.scope}=")(\\d+) [^"<>]*"`, "g");

/** `[chunk, bind, ...slots]`, as written into the state script. */
export type ScopeEntry = [chunk: string, bind: string | 0, ...slots: number[]];

/** A chunk or symbol name, or the build id, as JSON. */
export const quoted = remembered((name) => JSON.stringify(name));

/** The slots that bindings read: the number of leading ones, or their indices. A change of such a slot wakes the scope. */
export type BoundSlots = number | readonly number[];

const isBound = (bound: BoundSlots, slot: number): boolean =>
  typeof bound === "number" ? slot < bound : bound.includes(slot);

export interface ScopeOptions {
  manifest: Manifest;
  values: ValueTable;
  events: PageEvents;
  features: PageFeatures;
  /** In development only. */
  names: ValueNames | undefined;
  isTokenless: boolean;
}

export class PageScopes implements NestedIndex {
  readonly #page: ScopeOptions;
  /** Ordered by scope number, which starts at 1. */
  readonly #entries: ScopeEntry[] = [];
  readonly #modules = new Map<number, ScopeModules>();
  readonly #blocks = new Map<TemplateInfo, readonly string[]>();
  /** Effects of hooks that no scope starts yet. */
  readonly #effects: (() => unknown)[] = [];
  /** Values that run functions of `onLoad` in hooks, which no scope creates yet. */
  readonly #loads: object[] = [];
  #isGuarded = false;
  #moment: string | undefined;
  /** The part `stream` will process more state after the state script. */
  #isStreaming = false;

  constructor(page: ScopeOptions) {
    this.#page = page;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Scopes with a number above `count`. */
  after(count: number): Record<string, ScopeEntry> {
    const found: Record<string, ScopeEntry> = {};
    for (const [at, entry] of this.#entries.entries()) if (at >= count) found[at + 1] = entry;
    return found;
  }

  /** All scopes as members of a JSON object. */
  allAsText(): string {
    let text = "";
    let id = 0;
    for (const entry of this.#entries) {
      const bind = entry[1];
      text += `${id++ === 0 ? "" : ","}"${id}":[${quoted(entry[0])},${bind === 0 ? "0" : quoted(bind)}`;
      for (let slot = 2; slot < entry.length; slot++) text += `,${entry[slot]}`;
      text += "]";
    }
    return text;
  }

  /** @returns the scope attribute. */
  add(block: TemplateInfo, bound: BoundSlots, slots: readonly unknown[]): string {
    const { values, names } = this.#page;
    const chunk = this.#chunkOf(block);
    names?.meet(block, slots);
    const id = this.#entries.length + 1;
    const entry: ScopeEntry = [chunk, block.bind];
    const indices: number[] = [];
    // A page may have thousands of scopes. Most list exactly the modules of their block, so they share its array.
    let modules = this.#modulesOf(block, chunk);
    for (let slot = 0; slot < slots.length; slot++) {
      const index = this.#indexOf(slots[slot], isBound(bound, slot) ? id : undefined, block, slot);
      indices.push(index, ...values.madeFrom(index));
      entry.push(index);
      for (const part of values.likelyParts(index)) modules = withName(modules, part);
    }
    const provided = new Set([...providedFor(block), ...slots.flatMap(providedForView)]);
    const loads = this.#loads.splice(0);
    for (const added of [...this.#effects.splice(0), ...provided, ...loads]) {
      const reader = typeof added === "object" && loads.includes(added) ? undefined : id;
      const index = this.#indexOf(added, reader, block, slots.length);
      indices.push(index, ...values.madeFrom(index));
      entry.push(index);
      for (const part of values.likelyParts(index)) modules = withName(modules, part);
    }
    if (this.#isStreaming) modules = withName(modules, STREAM);
    if (this.#isGuarded) modules = withName(modules, BOUNDARY);
    this.#entries.push(entry);
    this.#modules.set(id, { own: modules, all: modules, slots: indices });
    const parts = modules.length === 1 ? "" : ` ${modules.slice(1).join(" ")}`;
    return ` ${DOM.scope}="${id} ${chunk}${parts}"${this.#momentOf(block)}${loads.length > 0 ? this.#loadOf(block) : ""}`;
  }

  /** The next scope starts the effect when it wakes, which is before a value changes that the effect reads. */
  addEffect(effect: () => unknown): void {
    this.#effects.push(effect);
  }

  /** The next scope wakes when the page has loaded, and creates the value. */
  addLoad(value: object): void {
    this.#loads.push(value);
  }

  /** A scope for what hooks of components without a scope have added; empty if there is nothing. */
  rest(): string {
    const [first] = [...this.#effects, ...this.#loads];
    const block = first && referenceOf(first)?.block;
    if (!block) return "";
    const { moduleId } = block;
    return `<template${this.add({ moduleId, bind: 0, events: [], parts: [], names: [""] }, 0, [])}></template>`;
  }

  /** Removes scopes with a number above `count`. */
  rollBack(count: number): void {
    for (let id = this.#entries.length; id > count; id--) this.#modules.delete(id);
    this.#entries.length = count;
  }

  /** Additional modules that a scope's handlers may need, by scope. */
  needs(): Record<string, string[]> {
    const { values } = this.#page;
    for (const scope of this.#modules.values()) {
      scope.all = this.#isStreaming ? withName(scope.own, STREAM) : scope.own;
      scope.slots = scope.slots.flatMap((index) => values.within(index));
      for (const index of scope.slots) for (const part of values.parts(index)) scope.all = withName(scope.all, part);
    }
    return modulePreloads(this.#modules, values.readers());
  }

  /** From now on, new scopes are sent after the state script. */
  beginStream(): void {
    this.#isStreaming = true;
  }

  /**
   * Adds the part `stream` to scopes that were written before the page was known to stream, so that the browser fetches it together
   * with their other modules. Text that reads like a scope's attribute can't be distinguished here; `n` lists the part as well.
   */
  nameStream(html: string): string {
    return html.replace(SCOPE, (attribute, open: string, id: string) => {
      const names = this.#modules.get(Number(id))?.own ?? [];
      const isScope = attribute === `${open}${id} ${names.join(" ").slice(HANDLER.length)}"`;
      return isScope && !names.includes(STREAM) ? `${attribute.slice(0, -1)} ${STREAM}"` : attribute;
    });
  }

  /** Event that wakes the components being written; undefined for their own events. */
  get moment(): string | undefined {
    return this.#moment;
  }

  /** Calls `write`. Components in it wake at the event `type` of their root element. */
  atMoment(type: string | undefined, write: () => string): string {
    const outer = this.#moment;
    this.#moment = type;
    try {
      return write();
    } finally {
      this.#moment = outer;
    }
  }

  /** Whether an error boundary catches browser errors of the scopes being written. */
  get isGuarded(): boolean {
    return this.#isGuarded;
  }

  /** Calls `write`. `isGuarded`: whether its scopes are inside an error boundary. */
  guard(isGuarded: boolean, write: () => string): string {
    const outer = this.#isGuarded;
    this.#isGuarded = isGuarded;
    try {
      return write();
    } finally {
      this.#isGuarded = outer;
    }
  }

  /** A value inside a captured value. */
  indexOfNested(value: unknown, captor: CaptureOwner, slot: number): number {
    return this.#indexOf(value, undefined, captor, slot);
  }

  #indexOf(value: unknown, reader: number | undefined, captor: CaptureOwner, slot: number): number {
    const { values } = this.#page;
    if (value instanceof ProvidedValue && !values.has(value)) {
      const at = this.#indexOf(value.value, undefined, { ...captor, names: [captor.names[0] ?? "", value.id] }, 0);
      const modules = [CONTEXT, ...values.likelyParts(at)];
      values.addMade(value, { kind: CONTEXT_KIND, content: [value.id, at], slots: [at], modules }, captor, slot);
    }
    const reference = referenceOf(value);
    if (reference && !values.has(value)) values.addMade(value, this.#made(reference), captor, slot);
    return values.add(value, reader, captor, slot);
  }

  /** The description from which the browser creates a function prop. */
  #made({ block, symbol, slots }: FunctionReference): Made {
    const chunk = this.#chunkOf(block);
    this.#page.names?.meet(block, slots);
    const indices = slots.map((value, slot) => this.#indexOf(value, undefined, block, slot));
    const needed = this.#neededBy(block, chunk);
    const modules = [FUNCTIONS, HANDLER + chunk, ...block.parts, ...this.#tokenOf(chunk), ...needed];
    const parts = indices.flatMap((index) => this.#page.values.likelyParts(index));
    return {
      kind: FUNCTION_KIND,
      content: [chunk, symbol, ...indices],
      slots: indices,
      modules: [...new Set([...modules, ...parts])],
    };
  }

  #chunkOf({ moduleId }: TemplateInfo): string {
    const { chunks, isUnbuilt } = this.#page.manifest;
    if (moduleId === PATHS.elementChunk) return ELEMENT_CHUNK;
    const chunk = chunks[moduleId] ?? (isUnbuilt ? UNBUILT_CHUNK : undefined);
    if (chunk !== undefined) return chunk;
    throw new SvcError("SVC_DEFINITION", `The build has no browser chunk for ${moduleId}. Build the app again.`);
  }

  /** Modules that every scope of a block lists: its chunk, then parts. */
  #modulesOf(block: TemplateInfo, chunk: string): readonly string[] {
    let modules = this.#blocks.get(block);
    if (!modules) {
      const { events, features } = this.#page;
      for (const name of block.events) {
        events.add(name);
        features.meet(name);
      }
      for (const [key, [type, test]] of Object.entries(block.conditions ?? {})) events.addCondition(key, type, test);
      for (const name of block.parts) features.meet(name);
      modules = [HANDLER + chunk, ...block.parts, ...this.#tokenOf(chunk)];
      for (const name of this.#neededBy(block, chunk)) modules = withName(modules, name);
      this.#blocks.set(block, modules);
    }
    return modules;
  }

  /** Modules of the components that the browser may create in the scope. */
  #neededBy({ parts }: TemplateInfo, chunk: string): readonly string[] {
    return parts.includes(CREATE) ? (this.#page.manifest.needs?.[chunk] ?? []) : [];
  }

  #tokenOf(chunk: string): readonly string[] {
    const { manifest, isTokenless } = this.#page;
    return isTokenless && manifest.callers?.includes(chunk) !== false ? [TOKEN] : [];
  }

  /** The same for the load of the page. */
  #loadOf(block: TemplateInfo): string {
    if (this.#moment === LOAD || block.events.includes(LOAD)) return "";
    this.#page.events.add(LOAD);
    this.#page.features.meet(LOAD);
    return ` ${DOM.on}${LOAD}="${DOM.noHandler}"`;
  }

  /** Refers to a handler that does not exist, so the event only wakes the scope. Omitted if the author handles the event: that wakes it too. */
  #momentOf(block: TemplateInfo): string {
    if (this.#moment === undefined || block.events.includes(this.#moment)) return "";
    this.#page.events.add(this.#moment);
    return ` ${DOM.on}${this.#moment}="${DOM.noHandler}"`;
  }
}

/** Values of the providers around a scope that components in a view of one of its slots may read, or in children that the browser makes. */
function providedForView(value: unknown): ProvidedValue[] {
  if (typeof value !== "object" || value === null) return [];
  const reference = value instanceof Html ? value.reference : referenceOf(value);
  return reference ? [...providedFor(reference.block), ...reference.slots.flatMap(providedForView)] : [];
}

/** Adds a name. Returns the same array if it already contains the name. */
function withName(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name];
}
