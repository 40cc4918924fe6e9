/** `ref.js`: refs, for pages that have any. Reading a ref wakes the component that renders its element. */
import { kinds, touch } from "../runtime/core.ts";

kinds[7] = () => {
  let element: Element | null = null;
  const ref = {
    get current() {
      touch(ref);
      return element;
    },
    set current(next) {
      element = next;
    },
  };
  return ref;
};
