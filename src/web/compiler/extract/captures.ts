/**
 * Captures of browser code: rewrites references to the component's values into reads of `$`, creates helpers for local functions and
 * computeds, and records the imports that the module needs. Rejects values that can't be sent to the browser (SVC101 … 107).
 */
import { ALL_PROPS, PATHS } from "../../../platform/shared/wire.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Problems } from "../problems.ts";
import { attempt } from "./extraction.ts";
import { isInside, mayHoldSignals, type Module } from "../analyze/analyze.ts";
import type { ESTree } from "vite";
import { holdsJsx, isComponentTag, isFunction, isJsx, memberName, tagName, walk, type Node } from "../parse/ast.ts";
import { isCalled, isComponent, isComponentValue, isImage, isWritten } from "./captured-names.ts";
import { isChildren } from "./jsx-forms.ts";
import { callsOwnMethod, deepChangeOf, isAffected, namedMembers, writesSignalIn } from "../analyze/mutations.ts";
import { CREATED_BUILTINS, exportedName, type ClientModule } from "../emit/client-module.ts";
import { diagnostic } from "../diagnostics.ts";
import { functionOf, importOf, initOf, svcImport, unserialisableInit } from "../analyze/declaration-kinds.ts";
import { givenItem } from "../analyze/jsx-members.ts";
import { jsxOf } from "../analyze/jsx-values.ts";
import { namesModuleValue } from "../analyze/module-values.ts";
import { dependsOnNames } from "../analyze/lifted.ts";
import { membersRead } from "../analyze/members-used.ts";
import type { Frame, Scope } from "../model.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import { instanceMadeBy } from "../analyze/instances.ts";
import { hasLastValue } from "../analyze/reassigned.ts";
import { selectionOf } from "./selections.ts";
import type { TakenRead } from "./taken-reads.ts";
import { originsOf } from "../analyze/origins.ts";
import { isChoice } from "../analyze/expression-kinds.ts";
import { isRestOfProps, propReads, readsPropsNow } from "../analyze/prop-reads.ts";
import { isContainer, isInStore, isObjectOfStores } from "../analyze/store-containers.ts";
import { isNamedStore } from "../analyze/store-items.ts";
import { isShown } from "../analyze/stale-reads.ts";

/** Position of browser code: the scope of its `$`, and the number of lists around it. */
export interface Place {
  scope: Scope;
  level: number;
  /** Whether it is a binding. A value that only handlers read does not wake the scope when it changes. */
  isBinding: boolean;
  /** Whether the browser creates the content that the code belongs to, so JSX in it is a view (emit-views.ts). */
  isCreated?: true;
  /** The created code around it: names that it declares keep their values. */
  within?: Node;
  /** Whether bindings run it: the value of a prop, which its component reads where it shows it. */
  isRead?: true;
  /** Whether it is a handler or prop in created content, which may use any member of what it captures. */
  usesAll?: true;
  /** Whether it is the code of a derived value, which is made again when what it reads changes. */
  isDerived?: true;
  /** Names that code around it declares. They keep their values. */
  declares?: ReadonlySet<Binding>;
  /** Values of a row that the server's content was made from. */
  takes?: readonly TakenRead[];
  /** Set inside a local function or computed, which may run at any time. */
  isHelper?: true;
}

export class Captures {
  readonly #module: Module;
  readonly #client: ClientModule;

  /** Keeps the error of a captured name, so that the others are checked too. Undefined if the first error ends the capture. */
  problems: Problems | undefined;
  /** Slots that the local function or constant reads whose code is being captured. */
  #reads: Set<number> | undefined;
  /** Emits JSX in created content. */
  views: { view(node: Node, place: Place): string } | undefined;

  constructor(module: Module, client: ClientModule) {
    this.#module = module;
    this.#client = client;
  }

  /** Makes the source text of `node` valid in the browser at `place`, where `$` contains the slots. */
  capture(node: Node, outer: Place): void {
    const place: Place = outer.isCreated && !outer.within ? { ...outer, within: node } : outer;
    if (!place.scope.isClosure) this.#refuseContext(node, place);
    const views = place.isCreated ? this.#replaceViews(node, place) : [];
    for (const reference of this.#module.scopes.within(node)) {
      const { binding } = reference;
      if (place.scope.rewritten.has(reference.node)) {
        this.#bindHelpersOf(reference.node, place);
        continue;
      }
      const isOwn = binding && (isInside(binding.node, place.within ?? node) || place.declares?.has(binding));
      if (!binding || (isOwn && !this.#isReplaced(binding, place.scope))) continue;
      if (views.some((view) => isInside(reference.node, view))) continue;
      place.scope.rewritten.add(reference.node);
      attempt(this, () => this.#name(reference, binding, place));
    }
  }

  #name(reference: Reference, binding: Binding, place: Place): void {
    if (binding.owner === null) this.#moduleName(reference, binding, place);
    else if (place.scope.isClosure) this.#rewriteInClosure(reference, binding, place);
    else this.#rewrite(reference, binding, place);
  }

  /** Code of a component's name: a tag, or the object that a tag is a member of. */
  tag(name: ESTree.JSXElementName, place: Place): string {
    let root: Node = name;
    while (root.type === "JSXMemberExpression") root = root.object;
    const [reference] = this.#module.scopes.within(root);
    const source = this.#module.file.text.slice(root.end, name.end);
    if (!reference?.binding) return this.#module.file.text.slice(name.start, name.end);
    const { binding } = reference;
    if (binding.owner === null) {
      const builtin = svcImport(binding);
      const asset = isImage(binding) ? PATHS.image : builtin === undefined ? undefined : CREATED_BUILTINS[builtin];
      if (asset !== undefined) return this.#client.runtime(asset, builtin ?? "Image");
      if (this.#client.creatables.has(binding)) return this.#client.creatable(binding, place.scope) + source;
      // `Theme` of `<Theme.Provider>`.
      this.#client.needModuleBinding(binding, reference);
      return reference.name + source;
    }
    if (place.scope.isClosure) return (this.#closureCode(reference, binding, place) ?? reference.name) + source;
    return this.#localTag(name, reference, binding, place);
  }

  /** A component that a name of the server's component refers to: `<props.as />`, `const Icon = ICONS[props.kind]`, or the item of a row. */
  #localTag(name: Node, reference: Reference, binding: Binding, place: Place): string {
    const { text } = this.#module.file;
    const frame = this.#frameOf(binding, place.scope);
    const withRest = (code: string, end: number): string => code + text.slice(end, name.end);
    const { end } = reference.node;
    this.#client.takesComponents = true;
    if (frame && binding.declared === "param")
      return withRest(this.#rowParam(reference, binding, frame.level, place), end);
    if (!frame && place.within && isInside(binding.node, place.within)) return withRest(reference.name, end);
    const init = functionOf(binding) ?? initOf(binding);
    if (frame || (init && (isFunction(init) || isChoice(init))))
      return withRest(this.#helper(binding, place, frame?.level ?? 0), end);
    let member = name;
    while (member.type === "JSXMemberExpression" && member.object.type === "JSXMemberExpression")
      member = member.object;
    const isMember = member.type === "JSXMemberExpression" && this.#module.kind(binding) === "props";
    const target = isMember ? member : reference.node;
    return withRest(this.#slot(reference, binding, place, target), target.end);
  }

  /** Replaces the JSX in created content by views. */
  #replaceViews(root: Node, place: Place): Node[] {
    const found: Node[] = [];
    walk(root, (node) => {
      if (!isJsx(node)) return undefined;
      found.push(node);
      return false;
    });
    for (const node of found) {
      if (place.scope.rewritten.has(node)) continue;
      place.scope.rewritten.add(node);
      const code = this.views?.view(node, place) ?? "";
      place.scope.edits.overwrite(node.start, node.end, code);
    }
    return found;
  }

  /** A name of the module. In created content a component is its create function. */
  #moduleName(reference: Reference, binding: Binding, place: Place): void {
    const { creatables } = this.#client;
    const isCreatable = place.isCreated ? creatables.has(binding) : creatables.isTable(binding);
    if (!isCreatable && !(creatables.has(binding) && isComponentValue(reference)))
      return this.#client.needModuleBinding(binding, reference);
    if (!place.isCreated) this.#refuseComparison(reference, binding);
    this.#client.takesComponents ||= !isCreatable;
    const code = this.#client.creatable(binding, place.scope);
    if (code === reference.name) return;
    const isShorthand = reference.parent.type === "Property" && reference.parent.shorthand;
    place.scope.edits.update(
      reference.node.start,
      reference.node.end,
      isShorthand ? `${reference.name}: ${code}` : code,
    );
  }

  /** SVC107: a chunk may have a component of its own, which is another function than that of the page. */
  #refuseComparison({ name, node, parent }: Reference, binding: Binding): void {
    const isCompared = parent.type === "BinaryExpression" && /^[!=]==?$/.test(parent.operator);
    if (!isCompared || !isComponent(binding)) return;
    throw this.#fail(
      "SVC107",
      node,
      `"${name}" is a component, and browser code compares it. The browser may have another function for it than the one in the page. Compare names instead: const views = { ${name.slice(0, 1).toLowerCase()}${name.slice(1)}: ${name} } in the module, a signal with the name, and <Dynamic is={views[name.value]} />.`,
    );
  }

  /** In a component's own function, only rows and destructured props are not what their names say. */
  #rewriteInClosure(reference: Reference, binding: Binding, place: Place): void {
    const code = this.#closureCode(reference, binding, place);
    if (code === undefined) return;
    const isShorthand = reference.parent.type === "Property" && reference.parent.shorthand;
    place.scope.edits.update(
      reference.node.start,
      reference.node.end,
      isShorthand ? `${reference.name}: ${code}` : code,
    );
  }

  /** Whether a name that is declared in the captured code has another code in the browser. */
  #isReplaced(binding: Binding, scope: Scope): boolean {
    return this.#frameOf(binding, scope) !== undefined || scope.propCodes.has(binding);
  }

  #closureCode(reference: Reference, binding: Binding, place: Place): string | undefined {
    const frame = this.#frameOf(binding, place.scope);
    if (frame && binding.declared === "param") return this.#rowParam(reference, binding, frame.level, place);
    return place.scope.propCodes.get(binding);
  }

  #fail(code: ConstructorParameters<typeof SvcError>[0], node: Node, message: string): SvcError {
    return diagnostic(this.#module.file, code, node, message);
  }

  /** SVC106: `this`, `arguments` and `await` of the component. SVC120: JSX that the browser would have to render. */
  #refuseContext(root: Node, place: Place): void {
    const refuse = (node: Node, inFunction: boolean, inArrow: boolean): void => {
      const found =
        (node.type === "ThisExpression" && !inFunction && "this") ||
        (node.type === "Identifier" && node.name === "arguments" && !inFunction && "arguments") ||
        (node.type === "AwaitExpression" && !inFunction && !inArrow && "await");
      if (found) {
        throw this.#fail(
          "SVC106",
          node,
          `"${found}" of the component can't be used by code that runs in the browser. Put its value into a const in the component and use that.`,
        );
      }
    };
    const descend = (node: Node, inFunction: boolean, inArrow: boolean): void => {
      walk(node, (inner) => {
        refuse(inner, inFunction, inArrow);
        // In the body of a class, `this` is an instance.
        if (inner !== node && inner.type === "ClassBody") {
          descend(inner, true, true);
          return false;
        }
        if (inner === node || !isFunction(inner)) return undefined;
        descend(inner, inFunction || inner.type !== "ArrowFunctionExpression", true);
        return false;
      });
    };
    descend(root, isFunction(root) && root.type !== "ArrowFunctionExpression", isFunction(root));
    if (holdsJsx(root) && !place.isCreated) {
      throw this.#fail(
        "SVC120",
        root,
        "This browser code contains JSX, which is rendered on the server. Write the JSX inline as a condition, <Show> or <For>.",
      );
    }
  }

  #rewrite(reference: Reference, binding: Binding, place: Place): void {
    this.#refuseWrite(reference, binding, place);
    this.#refuseUnheard(reference, binding);
    const target = this.#memberOf(reference, binding, place.scope);
    const code = this.#accessTo(reference, binding, place, target);
    if (place.isCreated && givenItem(this.#module, reference.node)) this.#client.shownViews.push(reference.node);
    const isShorthand = reference.parent.type === "Property" && reference.parent.shorthand;
    const { edits } = place.scope;
    edits.update(target.start, target.end, isShorthand ? `${reference.name}: ${code}` : code);
    const isInRow = !place.isHelper && this.#runsPerRow(target, place);
    const mayBeSignal = !/^(?:computed|function|lifted|resource|store)$/.test(this.#module.kind(binding));
    if (isInRow && mayBeSignal && !this.#frameOf(binding, place.scope)) this.#select(target, place.scope);
  }

  #runsPerRow(target: Node, place: Place): boolean {
    if (place.isBinding || place.isRead) return place.level > 0;
    if (!place.isDerived) return false;
    let functions = 0;
    for (let node = this.#module.parentOf(target); node; node = this.#module.parentOf(node))
      if (isFunction(node)) functions++;
    // One is the component.
    return functions > 1;
  }

  /** In rows: `selected.value === row.id` -> `is(selected, row.id)`. */
  #select(target: Node, scope: Scope): void {
    const found = selectionOf(target, (node) => this.#module.parentOf(node));
    if (!found || scope.rewritten.has(found.comparison)) return;
    const { comparison, isLeft } = found;
    const { start, end, operator, left, right } = comparison;
    const { edits } = scope;
    scope.rewritten.add(comparison);
    const name = this.#client.part("select", isLeft ? "is" : "eq", scope);
    edits.prependRight(start, `${operator === "===" ? "" : "!"}${name}(`);
    if (isLeft) edits.update(target.end, right.start, ", ").appendLeft(end, ")");
    else edits.update(left.end, target.start, ", ").update(target.end, end, ")");
  }

  #refuseWrite(reference: Reference, binding: Binding, { isBinding, isDerived }: Place): void {
    const { name } = reference;
    if (this.#module.kind(binding) === "let") {
      if ((isBinding || isDerived) && hasLastValue(this.#module, reference, binding)) return;
      const init = initOf(binding);
      const fix = this.#isOfRef(binding)
        ? `Write const ${name} = createRef<HTMLElement>() and ref={${name}}, and read ${name}.current.`
        : init && isFunction(init)
          ? `Write const ${name} = …, and put the condition inside the function.`
          : `Write const ${name} = signal(…) and ${name}.value, or make it a const.`;
      throw this.#fail(
        "SVC101",
        reference.node,
        `"${name}" is a let variable, captured by code that runs in the browser: its value would be copied, not shared. ${fix}`,
      );
    }
    if (!reference.isWrite) return;
    const kind = this.#module.kind(binding);
    if (kind === "signal" || kind === "computed") {
      const text = `"${name}" is a ${kind} and can't be replaced. Assign its value: ${name}.value.`;
      throw this.#fail("SVC102", reference.node, text);
    }
    const fix =
      binding.declared !== "param"
        ? `Write const ${name} = signal(…) and assign ${name}.value.`
        : binding.owner?.params.some((param) => param === binding.node)
          ? `Pass signals in it, and assign ${name}.x.value.`
          : `Pass a signal and assign ${name}.value, or keep a copy: const current = signal(${name}), and assign current.value.`;
    throw this.#fail("SVC102", reference.node, `"${name}" is assigned in the browser but is not a signal. ${fix}`);
  }

  /** Whether a variable gets an element: `ref={field}`, `ref={(element) => (field = element)}`. */
  #isOfRef(binding: Binding): boolean {
    return this.#module.scopes.references.some((reference) => {
      if (reference.binding !== binding) return false;
      let at = this.#module.parentOf(reference.node);
      while (at && at.type !== "JSXAttribute" && at.type !== "JSXElement") at = this.#module.parentOf(at);
      return at?.type === "JSXAttribute" && at.name.name === "ref";
    });
  }

  /** The node to capture: `props.x`, the signal in `counter.count.value`, else the name itself. */
  #memberOf(reference: Reference, binding: Binding, scope: Scope): Node {
    const kind = this.#module.kind(binding);
    const isObject = isObjectOfStores(binding, this.#module.scopes);
    if (this.#frameOf(binding, scope) || !(isObject || mayHoldSignals(binding, kind))) return reference.node;
    const chain = namedMembers(this.#module, reference.node);
    // `form.field.current.value` reads a ref's element, `form.count.value` a signal. A prop may be named `current`.
    const end = chain.findIndex((node, index) => {
      const name = memberName(node);
      return name === "value" || (name === "current" && (index > 0 || kind !== "props"));
    });
    // Another member of such an object may be for the server alone.
    const isFirst = isObject || kind === "props" || isRestOfProps(this.#module, binding);
    const found = end > 0 ? chain[end - 1] : isFirst ? chain[0] : undefined;
    return found && !isWritten(found, this.#module.parentOf(found)) ? found : reference.node;
  }

  /** SVC116: a displayed plain object of the component is mutated, which updates nothing. */
  #refuseUnheard(reference: Reference, binding: Binding): void {
    const init = initOf(binding);
    if (binding.owner === null || !init || !isContainer(init, this.#module.scopes)) return;
    const change = deepChangeOf(this.#module, reference.node);
    if (
      !change ||
      callsOwnMethod(init, change) ||
      writesSignalIn(this.#module, init, change) ||
      isInStore(init, change, this.#module.scopes)
    )
      return;
    const isHeard = (other: Reference): boolean =>
      other.binding === binding && isAffected(this.#module, other.node, change) && isShown(this.#module, other, false);
    if (!this.#module.scopes.references.some(isHeard)) return;
    const source = this.#module.file.text.slice(init.start, init.end);
    throw this.#fail(
      "SVC116",
      change.node,
      `"${reference.name}" is a plain object, so this change updates nothing that displays it. Write const ${reference.name} = store(${source.length > 40 ? "…" : source}).`,
    );
  }

  #frameOf(binding: Binding, scope: Scope): Frame | undefined {
    return scope.frames.find((frame) => frame.fn === binding.owner);
  }

  #accessTo(reference: Reference, binding: Binding, place: Place, target: Node): string {
    const frame = this.#frameOf(binding, place.scope);
    if (frame && binding.declared === "param") return this.#rowParam(reference, binding, frame.level, place);
    const resource = this.#module.awaited(binding);
    if (resource) {
      const param = binding.owner?.params[0];
      return `${this.slotOf(resource, place)}.value${param ? this.#pathInPattern(param, reference, binding) : ""}`;
    }
    const kind = this.#module.kind(binding);
    if (kind === "class") throw this.#unserialisable(reference, "a class");
    if (kind === "function") return this.#helper(binding, place, frame?.level ?? 0);
    if (kind === "computed" || kind === "lifted") return this.#helper(binding, place, frame?.level ?? 0);
    if (frame) {
      if (kind === "signal" || kind === "store" || kind === "resource") {
        throw this.#fail(
          "SVC120",
          reference.node,
          `"${reference.name}" is created inside a row that the browser may create. Make the row a component, which creates it for each row: (item) => <Row item={item} />.`,
        );
      }
      return this.#helper(binding, place, frame.level);
    }
    if (isCalled(reference) && namesModuleValue(this.#module, binding)) return this.#helper(binding, place, 0);
    const bad = unserialisableInit(binding);
    if (bad !== undefined) throw this.#unserialisable(reference, `an instance of ${bad}`);
    return this.#slot(reference, binding, place, target);
  }

  #unserialisable({ name, node }: Pick<Reference, "name" | "node">, what: string): SvcError {
    return this.#fail("SVC107", node, unserialisableMessage(name, what));
  }

  #slot(reference: Pick<Reference, "name" | "node">, binding: Binding, place: Place, target: Node): string {
    const { scope, level } = place;
    const { text } = this.#module.file;
    const source = target.type === "Identifier" ? target.name : text.slice(target.start, target.end);
    const isView = (place.isCreated && isChildren(target, this.#module.scopes)) || undefined;
    if (place.isCreated && (isView || this.#mayBeJsx(target))) this.#client.shownViews.push(target);
    if (target.type === "Identifier") this.#refuseInstance(reference, binding);
    for (const name of propReads(this.#module, target).split(" ")) this.#client.captured.add(name);
    for (const name of originsOf(this.#module, binding)) this.#client.captured.add(name);
    const init = initOf(binding);
    if (init && !holdsJsx(init) && this.#client.creatables.usesComponent(init)) this.#client.takesComponents = true;
    let index = scope.slots.findIndex((slot) => slot.source === source && slot.isView === isView);
    if (index < 0) {
      const kind = isNamedStore(this.#module, target) ? "store" : this.#module.kind(binding);
      const members = new Set<string>();
      index = scope.slots.push({ source, kind, node: target, members, ...(isView && { isView }) }) - 1;
      if (kind === "store") scope.parts.add("store");
    }
    const slot = scope.slots[index];
    if (slot) {
      scope.read?.add(slot);
      if (place.usesAll) slot.isWhole = true;
      const read = membersRead(this.#module, target);
      slot.members = read && slot.members && new Set([...slot.members, ...read]);
    }
    this.#reads?.add(index);
    if (place.isBinding) scope.bound.add(index);
    return `${this.slotsAt(level, 0)}[${index}]`;
  }

  /** Whether created content captures a prop or a constant with JSX, or passes all props on to a component. */
  #mayBeJsx(target: Node): boolean {
    const reads = propReads(this.#module, target);
    if (reads !== ALL_PROPS) return reads !== "" || jsxOf(this.#module, target).length > 0;
    const spread = this.#module.parentOf(target);
    const tag = spread?.type === "JSXSpreadAttribute" ? this.#module.parentOf(spread) : undefined;
    return tag?.type === "JSXOpeningElement" && isComponentTag(tagName(tag.name));
  }

  /** Reports SVC107 for `const model = makeModel()` if the function returns an instance of a class. The plugin checks those of other files. */
  #refuseInstance(reference: Pick<Reference, "name" | "node">, binding: Binding): void {
    const init = initOf(binding);
    if (init?.type !== "CallExpression" || init.callee.type !== "Identifier") return;
    const { callee } = init;
    const factory = this.#module.scopes.within(callee).find(({ node }) => node === callee)?.binding;
    if (!factory) return;
    const fn = functionOf(factory);
    const name = fn && instanceMadeBy(fn);
    if (name !== undefined) throw this.#unserialisable(reference, `an instance of ${name}`);
    const declaration = importOf(factory);
    if (!declaration || svcImport(factory) !== undefined) return;
    const { start, end } = reference.node;
    const imported = exportedName(factory);
    this.#client.factories.push({ source: declaration.source.value, imported, local: reference.name, start, end });
  }

  /** The slot of a name in the component's body, for generated code. */
  slotOf(binding: Binding, place: Place): string {
    return this.#slot({ name: binding.name, node: binding.node }, binding, place, binding.node);
  }

  /** Code of a name of a row. */
  rowName(binding: Binding, place: Place): string {
    return this.#rowParam(binding, binding, this.#frameOf(binding, place.scope)?.level ?? place.level, place);
  }

  /** `$` of level `to`, seen from level `from`. */
  slotsAt(from: number, to: number): string {
    return this.#client.names.slots + ".$".repeat(from - to);
  }

  #rowParam(reference: Pick<Reference, "name">, binding: Binding, level: number, place: Place): string {
    const owner = binding.owner;
    const index = owner ? owner.params.findIndex((param) => isInside(binding.node, param)) : -1;
    const base = this.slotsAt(place.level, level);
    if (index === 1) return `${base}.n.value`;
    const param = owner?.params[0];
    return `${base}.i.value${param ? this.#pathInPattern(param, reference, binding) : ""}`;
  }

  /** `{ a: { b } }` and `b` -> `.a.b`. */
  #pathInPattern(pattern: Node, reference: Pick<Reference, "name">, binding: Binding): string {
    if (pattern === binding.node) return "";
    if (pattern.type === "ObjectPattern") {
      for (const property of pattern.properties) {
        if (property.type !== "Property" || !isInside(binding.node, property)) continue;
        const key = property.computed ? undefined : property.key;
        if (key?.type === "Identifier") return `.${key.name}${this.#pathInPattern(property.value, reference, binding)}`;
      }
    }
    if (pattern.type === "ArrayPattern") {
      const index = pattern.elements.findIndex((item) => item !== null && isInside(binding.node, item));
      const item = pattern.elements[index];
      if (item) return `[${index}]${this.#pathInPattern(item, reference, binding)}`;
    }
    throw this.#fail(
      "SVC109",
      pattern,
      `"${reference.name}" is destructured with a default, a rest or a computed key, which the browser can't update. Name the row and read its fields: (item) => … item.${reference.name}.`,
    );
  }

  /** A local function or computed, which the browser creates again from its captures. */
  #helper(binding: Binding, place: Place, level: number): string {
    const { scope } = place;
    const { slots } = this.#client.names;
    let helper = scope.helpers.get(binding);
    if (!helper) {
      const name = this.#client.names.unique(binding.name);
      helper = { name, code: [], reads: new Set() };
      scope.helpers.set(binding, helper);
      const node = functionOf(binding) ?? initOf(binding);
      const kind = this.#module.kind(binding);
      // A row's item, a prop and the locale of a formatter may be replaced, so such constants are evaluated at each use.
      const mayChange =
        level > 0 ||
        dependsOnNames(binding, this.#module.scopes) ||
        (node !== undefined && readsPropsNow(this.#module, node));
      const isCached = kind !== "value" && !(kind === "lifted" && mayChange);
      const path = node ? "" : this.#declaredPath(binding);
      const body = node ?? this.#declaredInit(binding);
      const inner: Place = { ...place, level, isHelper: true, within: body };
      helper.code = [
        `const ${name} = (${slots}) => ${isCached ? `${slots}.${name} ??= ` : "("}`,
        body,
        `${isCached ? "" : `)${path}`};\n`,
      ];
      const outer = this.#reads;
      this.#reads = helper.reads;
      this.capture(body, inner);
      this.#reads = outer;
    }
    this.#useReads(helper.reads, place);
    return `${helper.name}(${this.slotsAt(place.level, level)})`;
  }

  /** What a local function or constant reads is read where it is used, even if a handler or created content has used it before. */
  #useReads(reads: ReadonlySet<number>, { scope, isBinding }: Place): void {
    for (const index of reads) {
      this.#reads?.add(index);
      if (isBinding) scope.bound.add(index);
    }
  }

  /** The code of a row contains constants whose code is that of helpers as well. */
  #bindHelpersOf(node: Node, place: Place): void {
    if (!place.isBinding) return;
    for (const { code, reads } of place.scope.helpers.values())
      if (code.some((part) => typeof part !== "string" && isInside(node, part))) this.#useReads(reads, place);
  }

  #declaredInit(binding: Binding): Node {
    const { source } = binding;
    if (source.type === "VariableDeclarator" && source.init) return source.init;
    throw this.#fail(
      "SVC107",
      binding.node,
      `"${binding.name}" has no value the browser could make again. Declare it with const and a value.`,
    );
  }

  #declaredPath(binding: Binding): string {
    const { source } = binding;
    if (source.type !== "VariableDeclarator") return "";
    return this.#pathInPattern(source.id, binding, binding);
  }
}

/** @param what a description of the value */
export function unserialisableMessage(name: string, what: string): string {
  return `"${name}" is ${what}, which can't be sent to the browser. Create it inside the handler or in onLoad, or pass its plain data. Instead of a class with state, write a function that returns signals and functions.`;
}
