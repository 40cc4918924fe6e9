/** Conditions: shows one of several branches, or none. A branch is created when it is first shown. */
import { isResuming, scoped, watch } from "../runtime/core-imports.ts";
import { K } from "./keyed-nodes.ts";

/** Creates the branch, and binds it; 0 if nothing in it is bound. */
type BranchOf = [make: () => Element, bind: 0 | ((slots: unknown, element: Element) => void)];

/**
 * @param key of the comment after the shown branch.
 * @param pick index of the branch to show, or -1.
 */
export function Branch(parent: Element, key: number, pick: () => number, branches: BranchOf[], $: unknown): void {
  const end = K(parent, key) as Comment;
  let shown: number | undefined;
  let element: Element | undefined;
  let stop: (() => void) | undefined;
  const show = (index: number): void => {
    if (shown === index) return;
    // Inside a row or branch that the browser created there is no server-rendered element to take over.
    const isServers = shown === undefined && isResuming();
    shown = index;
    stop?.();
    element?.remove();
    element = stop = undefined;
    if (!branches[index]) return;
    const [make, bind] = branches[index];
    const made = (element = isServers ? end.previousElementSibling! : make());
    stop = scoped(isServers, () => bind && bind($, made));
    if (!isServers) end.before(made);
  };
  watch(pick, show, 0, () => stop?.());
}
