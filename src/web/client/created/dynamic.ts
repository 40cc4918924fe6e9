/** `dynamic.js`: `<Dynamic>` that the browser creates: an element or component that is chosen there, and follows the choice. */
import { mayBeDynamic } from "../../../platform/shared/html/dynamic-tags.ts";
import { I, N, New, V, Z, type View } from "../bindings/create.ts";
import { Spread } from "./spread.ts";

interface DynamicProps {
  is: unknown;
  children?: unknown;
}

const element = (tag: string, props: DynamicProps): Element => {
  if (!mayBeDynamic(tag))
    throw new Error(`<Dynamic is=${JSON.stringify(tag)}> can't be rendered. Use a component or another tag.`);
  const made = document.createElement(tag);
  Spread(made, () => Z(props, "is", "children"), []);
  const text = new Text();
  made.append(text);
  I(text, () => props.children);
  return made;
};

export const Dynamic = (props: DynamicProps): View =>
  V(() => {
    const range = N();
    /** The choice that is shown, and its view. */
    let shown: [is: unknown, view: View] | undefined;
    I(range, () => {
      const { is } = props;
      if (shown?.[0] !== is)
        shown = [is, typeof is === "function" ? New(is as never, Z(props, "is")) : V(() => element(String(is), props))];
      return shown![1];
    });
    return range;
  });
