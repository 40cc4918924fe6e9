/** Finds `onLoad`, `effect` and similar calls in a component's body. They become code of the element that it returns. */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import {
  childrenOf,
  isFunction,
  memberName,
  returnsOf,
  unwrap,
  walk,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import { refuseBrowserGlobals } from "./browser-globals.ts";
import { diagnostic } from "../diagnostics.ts";
import { svcImport } from "./declaration-kinds.ts";
import type { ResourceCall } from "../model.ts";
import { mayFetchAgain } from "./resources.ts";

/** Lifecycle functions of "svckit" -> event type of the handler that they become. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  onLoad: "load",
  onVisible: "visible",
  onIdle: "idle",
  onMedia: "media",
};

export type Moment = "load" | "visible" | "idle" | "media";

/** Lifecycle calls and effects in a component's body. */
export interface Hooks {
  moments: Map<Moment, Node[]>;
  /** Query of `onMedia`. */
  media: string | undefined;
  effects: Node[];
  /** Callee nodes of the effects. */
  callees: Node[];
  /** Resources that the browser may have to fetch again. */
  resources: ResourceCall[];
  /** Statements that the server module omits. */
  browserOnly: Node[];
  /** The first call, as the position of errors. */
  first: Node | undefined;
  /** Whether an element has them already. */
  isPlaced: boolean;
}

/** What starts effects and resources. */
type Starter = Pick<Hooks, "effects" | "resources">;

/** Moves the effects and resources of a component to the scope of all that it returns. Moments need an element. */
export function placeEffects(hooks: Hooks | undefined, scope: Starter): void {
  if (!hooks || hooks.effects.length + hooks.resources.length === 0) return;
  moveEffects(hooks, scope);
  hooks.isPlaced = hooks.moments.size === 0;
}

/** Undoes `placeEffects`. */
export function takeEffectsBack(hooks: Hooks | undefined, scope: Starter): void {
  if (!hooks) return;
  moveEffects(scope, hooks);
  hooks.isPlaced = false;
}

function moveEffects(from: Starter, to: Starter): void {
  to.effects.push(...from.effects.splice(0));
  to.resources.push(...from.resources.splice(0));
}

export function hooksOf(module: Module, fn: FunctionNode, svcName: (node: Node) => string | undefined): Hooks {
  const hooks: Hooks = {
    moments: new Map(),
    media: undefined,
    effects: [],
    callees: [],
    resources: [],
    browserOnly: [],
    first: undefined,
    isPlaced: false,
  };
  refuseElsewhere(module, fn, svcName);
  if (fn.body?.type !== "BlockStatement") return hooks;
  for (const statement of childrenOf(fn.body))
    module.problems.attempt(() => {
      if (statement.type === "VariableDeclaration") addResources(module, statement, hooks, svcName);
      if (statement.type === "ExpressionStatement") addHook(module, statement, hooks, svcName);
    });
  return hooks;
}

function addHook(
  module: Module,
  statement: ESTree.ExpressionStatement,
  hooks: Hooks,
  svcName: (node: Node) => string | undefined,
): void {
  const call = statement.expression;
  if (call.type !== "CallExpression") return;
  const name = svcName(call.callee) ?? "";
  const moment = Object.hasOwn(MOMENTS, name) ? MOMENTS[name] : undefined;
  if (name !== "effect" && !moment) return;
  if (moment === "media") hooks.media = mediaQuery(module, call, hooks);
  const callback = call.arguments[moment === "media" ? 1 : 0];
  if (!callback || !(isFunction(callback) || callback.type === "Identifier")) {
    const query = moment === "media" ? '"(min-width: 40em)", ' : "";
    throw diagnostic(module.file, "SVC103", call, `${name} needs a function: ${name}(${query}() => …).`);
  }
  hooks.first ??= statement;
  if (moment) {
    hooks.browserOnly.push(statement);
    hooks.moments.set(moment, [...(hooks.moments.get(moment) ?? []), callback]);
  } else {
    refuseBrowserGlobals(module, callback);
    refuseOwnTrigger(module, callback);
    hooks.effects.push(callback);
    hooks.callees.push(call.callee);
  }
}

function addResources(
  module: Module,
  declaration: ESTree.VariableDeclaration,
  hooks: Hooks,
  svcName: (node: Node) => string | undefined,
): void {
  for (const { id, init } of declaration.declarations) {
    const call = init && unwrap(init);
    if (call?.type !== "CallExpression" || svcName(call.callee) !== "resource") continue;
    const [source, fetcher] = call.arguments;
    const binding = module.scopes.bindingAt(id);
    if (!binding || declaration.kind !== "const" || !source || !fetcher || call.arguments.length > 2) {
      throw diagnostic(
        module.file,
        "SVC103",
        call,
        "resource needs a name, what to fetch, and how: const user = resource(() => id.value, (id, { signal }) => loadUser(id)).",
      );
    }
    if (!mayFetchAgain(module, binding)) continue;
    hooks.first ??= declaration;
    hooks.resources.push({ binding, source, fetcher });
  }
}

function mediaQuery(module: Module, call: ESTree.CallExpression, { media }: Hooks): string {
  const [query] = call.arguments;
  if (query?.type !== "Literal" || typeof query.value !== "string" || media !== undefined) {
    throw diagnostic(
      module.file,
      "SVC103",
      call,
      'onMedia needs its query as text, once in a component: onMedia("(min-width: 40em)", () => …). Give another query a component of its own.',
    );
  }
  return query.value;
}

/** SVC111: calls must be statements of the component's body. Others would never run in the browser. */
function refuseElsewhere(module: Module, fn: FunctionNode, svcName: (node: Node) => string | undefined): void {
  if (fn.body === null) return;
  walk(fn.body, (node) => {
    if (isFunction(node)) return false;
    if (node.type !== "CallExpression") return undefined;
    const name = svcName(node.callee) ?? "";
    const statement = module.parentOf(node);
    const isDirect = statement?.type === "ExpressionStatement" && module.parentOf(statement) === fn.body;
    if (isDirect || (name !== "effect" && !Object.hasOwn(MOMENTS, name))) return undefined;
    const error = diagnostic(
      module.file,
      "SVC111",
      node,
      `${name} must be a statement directly in the component's body, because the browser runs it without the surrounding code. Put the condition inside its function.`,
    );
    module.problems.add(error);
    return false;
  });
}

/** SVC111: `n.value++` reads and sets the same signal, so the effect would trigger itself endlessly. */
function refuseOwnTrigger(module: Module, effect: Node): void {
  if (!isFunction(effect) || effect.body === null) return;
  walk(effect.body, (node) => {
    if (isFunction(node)) return false;
    const isUpdate = node.type === "AssignmentExpression" ? node.operator !== "=" : node.type === "UpdateExpression";
    const target =
      node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : node;
    if (!isUpdate || target.type !== "MemberExpression" || memberName(target) !== "value") return undefined;
    const source = module.file.text.slice(target.start, target.end);
    throw diagnostic(
      module.file,
      "SVC111",
      node,
      `"${source}" is read and set by the same effect, which would trigger itself endlessly. Read it without tracking: ${source} = untrack(() => ${source}) …`,
    );
  });
}

/** Whether a callback may return a cleanup function or call `onCleanup`. False only if its syntax rules that out. */
export function mayUndo(module: Module, callback: Node): boolean {
  if (!isFunction(callback)) return true;
  const calls = module.scopes.within(callback).some(({ binding }) => binding && svcImport(binding) === "onCleanup");
  return calls || returnsOf(callback).some((node) => CAN_BE_FUNCTION.has(unwrap(node).type));
}

/** Types of expressions whose value may be a function. */
const CAN_BE_FUNCTION = new Set(
  "Identifier MemberExpression CallExpression ConditionalExpression LogicalExpression ArrowFunctionExpression FunctionExpression".split(
    " ",
  ),
);
