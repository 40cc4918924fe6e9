/**
 * `error-boundary.js`: error boundaries that the browser creates. They have the same marks as those of the server, so that the part `boundary`
 * finds and replaces their content. Code that belongs to no element yet belongs to a comment in the boundary.
 */
import { batch, scoped, watch } from "../runtime/core.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { fallbacks, guarded, replace, restore } from "../bindings/boundary.ts";
import { nodesOf, Tail, V, type View } from "../bindings/create.ts";

interface BoundaryProps {
  fallback: unknown;
  children?: unknown;
}

export const ErrorBoundary = (props: BoundaryProps): View =>
  V(() => {
    const start = new Comment(DOM.boundary);
    const place = new Comment();
    const end = document.createElement("template");
    end.setAttribute(DOM.boundary, "");
    new DocumentFragment().append(start, place, end);
    let endContent: (() => void) | undefined;
    let endFallback: (() => void) | undefined;

    const create = (): void => {
      endContent?.();
      endContent = scoped(false, () =>
        guarded(() => place.after(...nodesOf(Tail(() => props.children))), place, create),
      );
    };

    fallbacks.set(end, (error) => {
      let nodes: ChildNode[] = [];
      const reset = (): void => {
        endFallback?.();
        while (end.previousSibling !== start) end.previousSibling!.remove();
        batch(() => restore(end));
      };
      // An error of the fallback belongs to the boundary around this one.
      endFallback = scoped(false, () => {
        guarded(() => {
          const { fallback } = props;
          nodes = nodesOf(
            typeof fallback === "function" ? (fallback as (...args: unknown[]) => unknown)(error, reset) : fallback,
          );
        }, end);
      });
      replace(end, nodes);
    });

    watch(
      () => {},
      () => {},
      true,
      () => {
        endContent?.();
        endFallback?.();
        restore(end, true);
      },
    );
    create();
    const nodes: ChildNode[] = [];
    for (let node: ChildNode | null = start; node; node = node.nextSibling) nodes.push(node);
    return nodes;
  });
