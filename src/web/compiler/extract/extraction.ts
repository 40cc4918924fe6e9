/** What the files of step 3 share: where a piece of JSX stands, and how they fail. */
import type { ErrorCode, SvcError } from "../../../platform/shared/errors.ts";
import type { Module } from "../analyze/analyze.ts";
import type { Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import type { Element, Scope, Template } from "../model.ts";

/** Where JSX stands: in which scope (none between root templates), template and list depth, under which elements. */
export interface Position {
  scope: Scope | undefined;
  template: Template;
  level: number;
  /** The browser may create this piece, so everything in it is written by bindings. */
  isRegion: boolean;
  ancestors: string[];
}

export interface Extraction {
  module: Module;
  nextHandler(): string;
  /** The one element that a row or branch is. */
  regionRoot(node: Node, position: Position): Element;
}

export function fail(extraction: Extraction, code: ErrorCode, node: Node, message: string): SvcError {
  return diagnostic(extraction.module.file, code, node, message);
}

/** SVC109 for what changes in the browser outside of any element of its component. */
export function looseRegion(extraction: Extraction, node: Node): Error {
  return fail(
    extraction,
    "SVC109",
    node,
    "This changes in the browser but stands in no element of this component, so there is nothing to find it by. Put a host element such as <div> or <span> around it.",
  );
}
