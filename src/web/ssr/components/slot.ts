/** `<Slot>`: where a component puts what stands between its tags, by name. docs/resume-protocol.md section 4. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { Html } from "../html.ts";
import { t } from "../write.ts";

/** Key of a component's props under which its named content is. A symbol, so it meets no prop of the author's. */
const NAMED = Symbol("svc.named");

interface Content {
  children?: unknown;
  [NAMED]?: Record<string, unknown[]>;
}

export interface SlotProps {
  /** Shows the children that say `slot="…"` with this name. Without: all that name no slot. */
  name?: string;
  /** Shown where nothing was given. */
  children?: Child;
}

/**
 * Shows what stands between the tags of the component whose JSX this is, or its own children where that is nothing:
 * `<Slot name="title">Untitled</Slot>`, given by `<Card><h2 slot="title">…</h2>…</Card>`.
 */
export function Slot(props: SlotProps): Markup {
  // The compiler adds the props of the component around it.
  const { of, name, children } = props as SlotProps & { of?: Content };
  if (!of)
    throw new SvcError("SVC_DEFINITION", "<Slot> must stand in the JSX of a component that the compiler has seen.");
  return new Html(() => {
    const given = t(name === undefined ? of.children : of[NAMED]?.[name]);
    return given === "" ? t(children) : given;
  });
}

/**
 * Props of a component some of whose children name a slot. Called by compiled modules.
 * @param content names ("" for none) and content in turns, in the order of the source.
 */
export function named(...content: unknown[]): Content {
  const children: unknown[] = [];
  const byName: Record<string, unknown[]> = Object.create(null) as Record<string, unknown[]>;
  for (let at = 0; at < content.length; at += 2) {
    const name = String(content[at]);
    (name === "" ? children : (byName[name] ??= [])).push(content[at + 1]);
  }
  return { children, [NAMED]: byName };
}
