/** Host elements by tag, with their attributes and handlers. The lists of tags come from TypeScript's DOM library. */
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

/** Custom elements have a hyphen in their name and accept any attribute. */
type CustomElements = {
  [Tag in `${string}-${string}`]: ForeignAttributes<HTMLElement>;
};

export type IntrinsicElements = HtmlElements & SvgElements & MathElements & CustomElements;
