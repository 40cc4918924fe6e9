/** Parses handler attributes: event names, and options beside the handler. */
import type { ESTree } from "vite";
import type { Module } from "../analyze/analyze.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { unwrap, type Expression, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { conditionOf, type Condition } from "./prevent-default.ts";

/** The event that a handler attribute listens for. */
export interface EventName {
  /** Event type as in the DOM: `keydown`, `my-event`. */
  type: string;
  /** Set for `onWindowResize` and `onDocumentKeyDown`. Both listen at the window, which all events reach. */
  isGlobal: boolean;
  isCapture: boolean;
}

/** Prefix of custom events: `on:my-event`. */
const CUSTOM = "on:";

/** DOM events whose names end in "capture". */
const ENDS_IN_CAPTURE = /^(?:Got|Lost)PointerCapture$/;

/** @returns undefined for a name that is not a handler. */
export function eventName(jsxName: string): EventName | undefined {
  if (jsxName.startsWith(CUSTOM)) return { type: jsxName.slice(CUSTOM.length), isGlobal: false, isCapture: false };
  const match = /^on(Window|Document)?([A-Z].*?)(Capture)?$/.exec(jsxName);
  if (!match?.[2]) return undefined;
  const isOwn = ENDS_IN_CAPTURE.test(match[2] + (match[3] ?? ""));
  const type = (isOwn ? match[2] + match[3] : match[2]).toLowerCase();
  return {
    type: type === "doubleclick" ? "dblclick" : type,
    isGlobal: match[1] !== undefined,
    isCapture: match[3] !== undefined && !isOwn,
  };
}

const OPTION_NAMES = ["capture", "once", "passive", "preventDefault", "stopPropagation"] as const;

export type EventOptions = Partial<Record<(typeof OPTION_NAMES)[number], boolean>>;

export interface Listener {
  /** Undefined if there are only options. */
  handler: Expression | undefined;
  options: EventOptions;
  /** Decides for each event whether to prevent the default action. */
  condition?: Condition;
}

/**
 * `(event) => …`, or `{ handler, once: true, … }`.
 * @throws SvcError SVC103 for options that aren't known at build time
 */
export function listenerOf(module: Module, attribute: string, expression: Expression): Listener {
  const inner = unwrap(expression);
  if (inner.type !== "ObjectExpression") return { handler: expression, options: {} };
  const listener: Listener = { handler: undefined, options: {} };
  for (const property of inner.properties) readOption(module, attribute, property, listener);
  return listener;
}

function readOption(module: Module, attribute: string, property: ESTree.ObjectPropertyKind, listener: Listener): void {
  const name =
    property.type === "Property" && !property.computed && property.key.type === "Identifier" ? property.key.name : "";
  if (property.type === "Property" && name === "handler") {
    listener.handler = property.value as Expression;
    return;
  }
  const value = property.type === "Property" ? unwrap(property.value) : undefined;
  if (property.type === "Property" && name === "preventDefault" && value?.type !== "Literal") {
    listener.condition = conditionOf(module, attribute, property);
    return;
  }
  const option = OPTION_NAMES.find((known) => known === name);
  if (!option || value?.type !== "Literal" || typeof value.value !== "boolean") {
    throw refused(
      module,
      property,
      `Options of ${attribute} are decided at build time: ${attribute}={{ handler: (event) => …, once: true }}, with ${OPTION_NAMES.join(", ")}, each a literal true or false. preventDefault may be a function of the event.`,
    );
  }
  listener.options[option] = value.value;
}

/** Event types that are passive by default at the window, so scrolling does not wait. Source: DOM, "default passive value". */
const SCROLLS = new Set(["touchstart", "touchmove", "wheel", "mousewheel"]);

/**
 * Name of an event type in the page: `!wheel` if the browser must wait for the handlers' decision.
 * @param isPrevented the handler's default action is always prevented
 */
export function listedName({ type, isGlobal }: EventName, { passive }: EventOptions, isPrevented: boolean): string {
  const isActive = SCROLLS.has(type) && (passive === false || isPrevented);
  return `${isActive ? "!" : ""}${isGlobal ? DOM.window : ""}${type}`;
}

/** @throws SvcError SVC103 for options that contradict each other or the event */
export function checkOptions(module: Module, node: Node, { isGlobal }: EventName, options: EventOptions): void {
  if (options.passive && options.preventDefault)
    throw refused(module, node, "passive: true promises not to prevent the default. Remove one of the two.");
  if (isGlobal && (options.preventDefault || options.stopPropagation || options.capture)) {
    throw refused(
      module,
      node,
      "Events of window and document arrive last, so their flags can't be applied in advance. Write preventDefault: () => true, or listen on an element.",
    );
  }
}

function refused(module: Module, node: Node, message: string): Error {
  return diagnostic(module.file, "SVC103", node, message);
}
