/** Shared by the files of step 3: the position of JSX, and errors. */
import type { ErrorCode, SvcError } from "../../../platform/shared/errors.ts";
import type { Module } from "../analyze/analyze.ts";
import type { Expression, Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
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
  /** Collects what changes among the children of a component outside of their elements. The component shows it (emit-live-props.ts). */
  parts?: Expression[];
}

export interface Extraction {
  module: Module;
  nextHandler(): string;
  /** The root element of a row or branch. */
  regionRoot(node: Node, position: Position): Element;
}

export function fail(extraction: Extraction, code: ErrorCode, node: Node, message: string): SvcError {
  return diagnostic(extraction.module.file, code, node, message);
}

/** SVC109 for a change outside of all elements of its component. */
export function looseRegion(extraction: Extraction, node: Node): Error {
  return fail(
    extraction,
    "SVC109",
    node,
    "This changes in the browser but is not inside an element of this component, so the browser can't find it. Put a host element such as <div> or <span> around it.",
  );
}
