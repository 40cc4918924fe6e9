/** Shared by the files of step 3: the position of JSX, and errors. */
import type { ErrorCode, SvcError } from "../../../platform/shared/errors.ts";
import type { Module } from "../analyze/analyze.ts";
import type { Expression, Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import type { Problems } from "../problems.ts";
import type { Element, Scope, Template } from "../model.ts";

/** Position of JSX: its scope (none between root templates), template, list depth and ancestors. */
export interface Position {
  scope: Scope | undefined;
  template: Template;
  level: number;
  /** Whether the browser may create it, so bindings write everything in it. */
  isRegion: boolean;
  /** Whether it is in a view (emit-views.ts): the browser creates it, and no server code is emitted for it. */
  isView?: true;
  /** Whether it is in no element, so the browser can't rely on a parent. */
  isLoose?: boolean;
  ancestors: string[];
  /** Whether content in no element may have a scope of its own, so that it can change. */
  isHosted?: true;
  /** Collects what changes among the children of a component outside of their elements. The component shows it (emit-live-props.ts). */
  parts?: Expression[];
}

export interface Extraction {
  module: Module;
  /** Keeps the error of an attribute or child, so that the next one is checked too. Undefined if the first error ends the extraction. */
  problems?: Problems | undefined;
  nextHandler(): string;
  /** The root element of a row or branch. */
  regionRoot(node: Node, position: Position): Element;
}

/** Runs one step, such as the extraction of an attribute. @returns undefined if it failed and other steps are checked too */
export function attempt<T>({ problems }: Pick<Extraction, "problems">, step: () => T): T | undefined {
  return problems ? problems.attempt(step) : step();
}

/** Reports an error after which the extraction can continue. */
export function report({ problems }: Extraction, error: SvcError): void {
  if (!problems) throw error;
  problems.add(error);
}

export function fail(extraction: Extraction, code: ErrorCode, node: Node, message: string): SvcError {
  return diagnostic(extraction.module.file, code, node, message);
}

/** @returns SVC109 for a change outside of all elements of its component */
export function looseRegion(extraction: Extraction, node: Node): Error {
  return fail(
    extraction,
    "SVC109",
    node,
    "This changes in the browser but is not inside an element of this component, so the browser can't find it. Put a host element such as <div> or <span> around it.",
  );
}
