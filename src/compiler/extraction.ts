/** What the files of step 3 share: where a piece of JSX stands, and how they fail. */
import type { ErrorCode, SvcError } from "../shared/errors.ts";
import type { Module } from "./2-analyze.ts";
import type { Node } from "./ast.ts";
import { diagnostic } from "./diagnostics.ts";
import type { Scope, Template } from "./model.ts";

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
}

export function fail(extraction: Extraction, code: ErrorCode, node: Node, message: string): SvcError {
  return diagnostic(extraction.module.file, code, node, message);
}
