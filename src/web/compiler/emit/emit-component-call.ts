/** Step 4, server code: emits `<Shell current="/">…</Shell>` as a call of the component. */
import type { ESTree } from "vite";
import { passesStateOn, type Module } from "../analyze/analyze.ts";
import { readsStore, takenFromItem } from "../analyze/store-items.ts";
import { directFunction } from "../analyze/direct-calls.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { attributeExpression, attributeText, onlyChild } from "../extract/jsx-forms.ts";
import {
  holdsJsx,
  isFunction,
  isJsx,
  returnsOf,
  tagName,
  unwrap,
  walk,
  type Expression,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import type { Walker } from "./emit-server-parts.ts";
import { attempt, fail, looseRegion, type Extraction } from "../extract/extraction.ts";
import { handlerFlags, isFunctionProp } from "../extract/handlers.ts";
import { decodeEntities } from "../parse/jsx-text.ts";
import { choiceByProps } from "../analyze/chosen-components.ts";
import { initOf, svcName } from "../analyze/declaration-kinds.ts";
import type { Code } from "../model.ts";
import type { ChildViewsEmitter } from "./emit-child-views.ts";
import { changesHandlersOnly, handlersOf, importOfObject } from "./spread-handlers.ts";
import type { LivePropsEmitter } from "./emit-live-props.ts";
import type { PropCalls } from "./prop-calls.ts";
import { bySlot, componentAround, slotNameOf } from "../extract/slots.ts";
import { concatenation, type Segment, type ServerOutput } from "./server-output.ts";

/** Flag of a handler that always prevents the default action. */
const PREVENTS = "!";

export class ComponentCallEmitter {
  readonly #extraction: Extraction;
  readonly #out: ServerOutput;
  readonly #walker: Walker;
  readonly #live: LivePropsEmitter;
  /** Props of the calls that may change. */
  readonly #props: PropCalls;
  readonly #views: ChildViewsEmitter;
  /** Spreads whose component keeps the first props. */
  readonly spreads: Node[] = [];
  /** Values of providers that are made from props. */
  readonly provided: Node[] = [];

  constructor(
    extraction: Extraction,
    out: ServerOutput,
    walker: Walker,
    { live, props, views }: { live: LivePropsEmitter; props: PropCalls; views: ChildViewsEmitter },
  ) {
    this.#live = live;
    this.#props = props;
    this.#views = views;
    this.#extraction = extraction;
    this.#out = out;
    this.#walker = walker;
  }

  emit(node: ESTree.JSXElement): Segment[] {
    const { name, attributes } = node.openingElement;
    if (this.#live.serverTagOf(node.openingElement) === undefined)
      for (const part of [...attributes, ...node.children]) this.#refuseTaken(part);
    // An empty node: it writes nothing, but maps the call to the position of the tag.
    if (!this.#walker.isReplaced())
      for (const choice of choiceByProps(this.#extraction.module, node)) this.#walker.keep(choice);
    const place: Node = { ...node, end: node.start };
    const direct = directFunction(this.#extraction.module, name);
    const code: Code = ["{ "];
    const given: Given = { code: [], isSure: false };
    const builtin = svcName(name, this.#extraction.module.scopes);
    if (builtin === "Portal" && this.#walker.isReplaced()) return [this.#portal(node)];
    if (builtin === "Slot") code.push(`of: ${this.#out.useProps(componentAround(this.#extraction, node))}, `);
    for (const attribute of attributes) {
      // This `slot` belongs to the surrounding component.
      if (slotNameOf(this.#extraction, node) !== "" && isNamed(attribute, "slot")) continue;
      code.push(...(attempt(this.#extraction, () => this.#prop(attribute, builtin, given)) ?? []), ", ");
    }
    const child = onlyChild(node);
    if (child && isFunction(child)) {
      if (builtin === "Await") this.#refuseLoose(child);
      const rendered = builtin === undefined ? this.#views.addFunction(node, "children", child) : undefined;
      this.#walker.rewrite(child);
      code.push("children: ", ...this.#lifted(rendered, child), " ");
    } else code.push(...this.#children(node, given));
    code.push("}");
    return [{ code: [place, ...this.#call(node, direct, this.#withLive(node, code, given))] }];
  }

  /** A portal that the browser removes with the content around it. */
  #portal(node: ESTree.JSXElement): Segment {
    const to = attributeExpression(node, "to") ?? JSON.stringify(attributeText(node, "to"));
    if (typeof to !== "string" && to) this.#walker.rewrite(to);
    const mark = this.#out.local("mark");
    const open = ' style="display:contents">';
    const html = concatenation([
      `<${DOM.portalTag}`,
      { code: [mark] },
      open,
      ...this.#walker.loose(node.children),
      `</${DOM.portalTag}>`,
    ]);
    return {
      code: [
        `"<template" + ${this.#out.use("portal")}("", `,
        to ?? "undefined",
        `, (${mark}) => `,
        ...html,
        ') + "></template>"',
      ],
    };
  }

  #call({ openingElement: { name } }: ESTree.JSXElement, direct: FunctionNode | undefined, props: Code): Code {
    const tag = tagName(name);
    if (!direct) return [`${this.#out.use("component")}(${tag}, `, ...props, ")"];
    if (direct.params[0]?.type !== "ObjectPattern") return [`${tag}(`, ...props, ")"];
    // Its code reads live props from the object, which it takes apart.
    const given = this.#out.useGiven();
    return [`${tag}(${given} = `, ...props, `, ${given})`];
  }

  /** Adds to the props how the browser makes those that are live. */
  #withLive(node: ESTree.JSXElement, props: Code, { code, isSure }: Given): Code {
    if (code.length === 0) return props;
    this.#views.addLive(node);
    const condition = isSure ? "" : this.#live.hasLiveProps(node);
    if (condition === undefined) return props;
    const guard = condition === "" ? "" : `${condition} && `;
    return [`${this.#out.use("live")}(`, ...props, `, ${guard}{ ${code.join(", ")} })`];
  }

  /** SVC109: the children of `<Await>` have no element of this component around them, so a loose value in them can't update. */
  #refuseLoose(children: FunctionNode): void {
    for (const result of returnsOf(children)) {
      if (!isJsx(unwrap(result)) && this.#extraction.module.liveness(result) === "live")
        throw looseRegion(this.#extraction, result);
    }
  }

  #children(node: ESTree.JSXElement, given: Given): Code {
    for (const inner of node.children) refuseAwait(this.#extraction, inner);
    const groups = bySlot(this.#extraction, node.children);
    // Only a component of the app shows its children in its own elements.
    const isOwn = this.#live.serverTagOf(node.openingElement) === undefined && groups.every(({ name }) => name === "");
    const parts: Expression[] = [];
    const runs = groups.flatMap(({ name, children }) => {
      const segments = this.#walker.loose(children, isOwn ? parts : undefined);
      if (segments.length === 0) return [];
      const view = isOwn ? this.#views.add(node, parts) : undefined;
      const open = view === undefined ? `${this.#out.use("html")}(` : `${this.#out.use("view")}(${view}, `;
      return [{ name, html: [`${open}() => `, ...concatenation(segments), ")"] }];
    });
    if (parts.length > 0) {
      given.isSure = true;
      this.#props.addChildren(node);
      given.code.push(`children: ${this.#live.passedChildren(parts)}`);
    }
    if (runs.length === 0) return [];
    if (runs.every(({ name }) => name === ""))
      return ["get children() { return ", ...runs.flatMap(({ html }) => html), "; } "];
    const named = runs.flatMap(({ name, html }) => [`${JSON.stringify(name)}, `, ...html, ", "]);
    return [`...${this.#out.use("named")}(`, ...named, ") "];
  }

  #prop(attribute: ESTree.JSXAttributeItem, builtin: string | undefined, given: Given): Code {
    if (attribute.type === "JSXSpreadAttribute") {
      const spread = unwrap(attribute.argument);
      this.#props.add(attribute, spread, this.#walker.isReplaced());
      const call = this.#extraction.module.parentOf(attribute);
      if (call?.type === "JSXOpeningElement") this.#views.addSpread(call, attribute);
      if (readsStore(this.#extraction.module, spread) && !this.#isUntracked(spread))
        throw this.#refuseSpread(attribute);
      // An element or component of <Dynamic> that follows the props is made anew.
      const isFollowed = builtin !== undefined && this.#live.follows(attribute.argument);
      if (spread.type === "Identifier" && !isFollowed) given.code.push(`...${spread.name}?.[${this.#out.use("LIVE")}]`);
      else if (!isFollowed && !this.#walker.isReplaced()) this.#keepSpread(attribute, spread);
      this.#walker.rewrite(attribute.argument);
      const end = isFollowed ? [`, [${this.#out.use("LIVE")}]: undefined`] : this.#spreadHandlers(spread, builtin);
      return ["...", attribute.argument, ...end];
    }
    if (attribute.value?.type === "JSXExpressionContainer")
      this.#props.add(attribute, attribute.value.expression, this.#walker.isReplaced());
    if (attribute.value?.type === "JSXExpressionContainer" && this.#live.serverTag(attribute)?.endsWith(".Provider"))
      this.provided.push(...readOnce(this.#extraction.module, attribute.value.expression));
    const name = attribute.name.type === "JSXNamespacedName" ? this.#refuseBind(attribute) : attribute.name.name;
    if (attribute.value && builtin === undefined) this.#views.addProp(attribute, attribute.value);
    const key = `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: `;
    const { value } = attribute;
    // It overrides a live prop of a spread before it.
    if (given.code.some((item) => item.startsWith("..."))) given.code.push(`${key}0`);
    if (!value) return [`${key}true`];
    if (isJsx(value)) {
      this.#walker.rewrite(value);
      return [key, value];
    }
    if (value.type === "Literal") return [key + JSON.stringify(decodeEntities(String(value.value)))];
    if (value.type !== "JSXExpressionContainer" || value.expression.type === "JSXEmptyExpression")
      return [`${key}undefined`];
    const end =
      builtin === "ErrorBoundary" && name === "fallback" ? this.#walker.fallback(value.expression) : undefined;
    if (end !== undefined) return [key, value.expression, `, end: () => ${end}`];
    const isHandler = isFunctionProp(name);
    const handed = isHandler || name === "ref" ? this.#walker.functionProp(value.expression) : undefined;
    if (handed !== undefined) return [key, handed, value.expression, isHandler ? this.#endOf(value.expression) : ")"];
    const called = this.#live.passedFunction(attribute, value.expression);
    if (called?.live) {
      given.isSure ||= called.live.isSure;
      given.code.push(`${key}${called.live.code}`);
    } else this.#passLive(attribute, value.expression, key, given);
    const call = this.#extraction.module.parentOf(attribute);
    const element = call && this.#extraction.module.parentOf(call);
    const rendered =
      builtin === undefined && element?.type === "JSXElement"
        ? this.#views.addFunction(element, name, value.expression)
        : undefined;
    this.#walker.rewrite(value.expression);
    if (rendered !== undefined) return [key, ...this.#lifted(rendered, value.expression)];
    return called ? [key, called.open, value.expression, ")"] : [key, value.expression];
  }

  /** Handlers in a spread object, with how the browser creates them. The build checks those of imported objects. */
  #spreadHandlers(object: Node, builtin: string | undefined): Code {
    const { module } = this.#extraction;
    const isShown = builtin === undefined || builtin === "Dynamic";
    const imported = isShown ? importOfObject(module, object) : undefined;
    if (imported) this.#live.spreads.imports.push(imported);
    return handlersOf(module, object).flatMap(({ name, node, head }) => {
      const open = this.#walker.functionProp(node, head);
      if (open === undefined) return [];
      const source = module.file.text.slice(object.start, object.end);
      return [`, ${name}: ${open}(${source}).${name})`];
    });
  }

  /** A function, with how the browser creates it. */
  #lifted(args: string | undefined, fn: Node): Code {
    return args === undefined ? [fn] : [`${this.#out.use("lift")}(${args}, `, fn, ")"];
  }

  /** End of the call that records a handler: with the flag of one that always prevents the default, for elements that the component spreads it on. */
  #endOf(handler: Node): string {
    return handlerFlags(this.#extraction.module, handler).includes(PREVENTS) ? `, "${PREVENTS}")` : ")";
  }

  #refuseBind(attribute: Node): never {
    throw fail(
      this.#extraction,
      "SVC110",
      attribute,
      "Only elements with a fixed name have attributes with a colon. Pass the signal as a prop, and let the component bind it to its own field. " +
        "An element whose name is a value takes value={text.value} and onInput={(event) => (text.value = event.currentTarget.value)}.",
    );
  }

  /** Adds how the browser makes a prop that changes. */
  #passLive(attribute: ESTree.JSXAttribute, expression: Node, key: string, given: Given): void {
    const inner = unwrap(expression);
    const tag = this.#live.serverTag(attribute);
    const isOnce = tag !== undefined && !tag.endsWith(".Provider") && !this.#walker.isReplaced();
    if (isOnce && !isFunction(inner) && !holdsJsx(inner)) this.#walker.keep(expression);
    const passed = this.#live.passedProp(attribute, expression);
    if (passed !== undefined) {
      given.isSure ||= passed.isSure;
      given.code.push(`${key}${passed.code}`);
    } else if (!this.#walker.isReplaced() && inner.type !== "Identifier" && !isFunction(inner) && !isJsx(inner)) {
      const { module } = this.#extraction;
      if (module.liveness(inner) === "live" && !passesStateOn(module, inner))
        this.#refuseReactiveProp(expression, String(attribute.name.name), tag ?? "");
    }
  }

  /** SVC121: the names of the props in a spread are unknown here, so the component keeps their first values. */
  #keepSpread(attribute: Node, spread: Node): void {
    const { module } = this.#extraction;
    if (this.#isUntracked(spread) || changesHandlersOnly(module, spread)) return;
    this.spreads.push(spread);
    if (module.liveness(spread) !== "live" || passesStateOn(module, spread)) return;
    throw this.#refuseSpread(attribute);
  }

  /** SVC121: the browser can't read again what a row took out of an item. */
  #refuseTaken(part: Node): void {
    if (part.type === "JSXAttribute" && isNamed(part, "key")) return;
    const taken = takenFromItem(this.#extraction.module, part);
    if (!taken) return;
    throw fail(
      this.#extraction,
      "SVC121",
      taken,
      "This row takes a value out of the item of a store, so the component would keep the first value. Name the item and read it in the JSX: (item) => <Row title={item.title} />. For the entries of an object, write Object.keys(users).map((id) => <User user={users[id]} />).",
    );
  }

  #isUntracked(node: Node): boolean {
    return node.type === "CallExpression" && svcName(node.callee, this.#extraction.module.scopes) === "untrack";
  }

  #refuseSpread(attribute: Node): Error {
    return fail(
      this.#extraction,
      "SVC121",
      attribute,
      "The props in this spread change in the browser, but the component would keep the first ones. Write them by name: disabled={busy.value}. If the first values are intended, write {...untrack(() => …)}.",
    );
  }

  /** SVC121: the component would keep the first value. @param tag of a component that only the server runs */
  #refuseReactiveProp(expression: Node, name: string, tag: string): never {
    throw fail(
      this.#extraction,
      "SVC121",
      expression,
      tag === ""
        ? `The prop "${name}" changes in the browser, but its value contains something that only the server can make. Put that into a const of its own, or pass the signal or store itself and read it inside the component.`
        : `The prop "${name}" has a value that changes in the browser, but <${tag}> runs on the server only and would keep the first value. Pass the signal or store itself.`,
    );
  }
}

/** Code of the live props of one call. */
interface Given {
  code: string[];
  /** Whether one of them is live in any case. */
  isSure: boolean;
}

function isNamed(attribute: ESTree.JSXAttributeItem, name: string): boolean {
  return attribute.type === "JSXAttribute" && attribute.name.name === name;
}

/** SVC106: JSX in a prop is written later, in a function of its own, so it cannot contain `await`. */
export function refuseAwait(extraction: Extraction, root: Node): void {
  walk(root, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "AwaitExpression" || node.type === "YieldExpression") {
      throw fail(
        extraction,
        "SVC106",
        node,
        "This JSX is passed to a component, which renders it later, so it can't contain await. Await before: const value = await …; and use {value}.",
      );
    }
    return undefined;
  });
}

/** Kinds of names whose values readers of a context follow. */
const FOLLOWED = new Set(["signal", "store", "computed", "function", "resource", "ref"]);

/** Parts of a provided value that readers get once: all but signals, computeds and functions. */
function readOnce(module: Module, expression: Node): Node[] {
  const node = unwrap(expression);
  if (isFunction(node)) return [];
  if (node.type === "ObjectExpression")
    return node.properties.flatMap((item) => readOnce(module, item.type === "Property" ? item.value : item.argument));
  if (node.type === "CallExpression" && svcName(node.callee, module.scopes) === "computed") return [];
  const binding = node.type === "Identifier" ? module.scopes.within(node)[0]?.binding : undefined;
  if (!binding) return [node];
  const kind = module.kind(binding);
  const init = kind === "lifted" ? initOf(binding) : undefined;
  return FOLLOWED.has(kind) ? [] : init ? readOnce(module, init) : [node];
}
