/** `<Slot>`: the place in a component's JSX where the children passed to it are rendered, by name. docs/resume-protocol.md section 4. */
import type { Child, Markup } from "../../jsx/element.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { Html } from "../html.ts";
import { refuseFrozen } from "../resume/live-props.ts";
import { t } from "../write.ts";

/** Key of the named content in a component's props. A symbol, so that it can't collide with the author's props. */
const NAMED = Symbol("svc.named");

interface Content {
  children?: unknown;
  [NAMED]?: Record<string, unknown[]>;
}

export interface SlotProps {
  /** Shows the children with this name as their `slot="…"`. Default: all children without a slot name. */
  name?: string;
  /** Shown if no content was passed. */
  children?: Child;
}

/**
 * Shows the children that were passed to the surrounding component, or its own children if none were passed. For example,
 * `<Card><h2 slot="title">…</h2>…</Card>` fills `<Slot name="title">Untitled</Slot>`.
 * @example
 * function Card() {
 *   return (
 *     <section>
 *       <h2>
 *         <Slot name="title">Untitled</Slot>
 *       </h2>
 *       <Slot />
 *     </section>
 *   );
 * }
 */
export function Slot(props: SlotProps): Markup {
  // The compiler adds `of`, the props of the surrounding component.
  const { of, name, children } = props as SlotProps & { of?: Content };
  if (!of) throw new SvcError("SVC_DEFINITION", "<Slot> can only be used in the JSX of a compiled component.");
  if (name === undefined) refuseFrozen(of, "children", "Slot");
  return new Html(() => {
    const given = t(name === undefined ? of.children : of[NAMED]?.[name]);
    return given === "" ? t(children) : given;
  });
}

/**
 * Builds the props of a component whose children have slot names. Called by compiled modules.
 * @param content alternating slot names ("" for none) and content, in source order.
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
