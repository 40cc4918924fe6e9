/** Host elements by tag: which attributes and handlers each takes. The tag lists are those of TypeScript's DOM library. */
import type { ForeignAttributes, GlobalAttributes, OwnAttributes } from "./attributes.ts";

type HtmlElements = {
  [Tag in keyof HTMLElementTagNameMap]: GlobalAttributes<HTMLElementTagNameMap[Tag]> &
    (Tag extends keyof OwnAttributes ? OwnAttributes[Tag] : unknown);
};

type SvgElements = {
  [Tag in Exclude<keyof SVGElementTagNameMap, keyof HTMLElementTagNameMap>]: ForeignAttributes<
    SVGElementTagNameMap[Tag]
  >;
};

type MathElements = {
  [
    Tag in Exclude<keyof MathMLElementTagNameMap, keyof HTMLElementTagNameMap | keyof SVGElementTagNameMap>
  ]: ForeignAttributes<MathMLElementTagNameMap[Tag]>;
};

/** Custom elements have a hyphen in their name and attributes of their own. */
type CustomElements = {
  [Tag in `${string}-${string}`]: ForeignAttributes<HTMLElement>;
};

export type IntrinsicElements = HtmlElements & SvgElements & MathElements & CustomElements;
