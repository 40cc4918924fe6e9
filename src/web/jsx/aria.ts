/**
 * ARIA states and properties with their values. They are listed one by one because TypeScript checks hyphenated names only if they are
 * declared. Source: WAI-ARIA 1.2 section 6, and 1.3 for descriptions and braille.
 */

/** `true` and `false` are written as text; `null` and `undefined` omit the attribute. */
type State = boolean | "true" | "false" | null | undefined;
type Words = string | null | undefined;
/** Accepts text as well, as form values are text. */
type Quantity = number | string | null | undefined;
type OneOf<Values extends string> = Values | null | undefined;

interface NamedAria {
  "aria-activedescendant"?: Words;
  "aria-atomic"?: State;
  "aria-autocomplete"?: OneOf<"none" | "inline" | "list" | "both">;
  "aria-braillelabel"?: Words;
  "aria-brailleroledescription"?: Words;
  "aria-busy"?: State;
  "aria-checked"?: State | "mixed";
  "aria-colcount"?: Quantity;
  "aria-colindex"?: Quantity;
  "aria-colindextext"?: Words;
  "aria-colspan"?: Quantity;
  "aria-controls"?: Words;
  "aria-current"?: State | "page" | "step" | "location" | "date" | "time";
  "aria-describedby"?: Words;
  "aria-description"?: Words;
  "aria-details"?: Words;
  "aria-disabled"?: State;
  "aria-errormessage"?: Words;
  "aria-expanded"?: State;
  "aria-flowto"?: Words;
  "aria-haspopup"?: State | "menu" | "listbox" | "tree" | "grid" | "dialog";
  "aria-hidden"?: State;
  "aria-invalid"?: State | "grammar" | "spelling";
  "aria-keyshortcuts"?: Words;
  "aria-label"?: Words | number;
  "aria-labelledby"?: Words;
  "aria-level"?: Quantity;
  "aria-live"?: OneOf<"off" | "polite" | "assertive">;
  "aria-modal"?: State;
  "aria-multiline"?: State;
  "aria-multiselectable"?: State;
  "aria-orientation"?: OneOf<"horizontal" | "vertical" | "undefined">;
  "aria-owns"?: Words;
  "aria-placeholder"?: Words;
  "aria-posinset"?: Quantity;
  "aria-pressed"?: State | "mixed";
  "aria-readonly"?: State;
  "aria-relevant"?: Words;
  "aria-required"?: State;
  "aria-roledescription"?: Words;
  "aria-rowcount"?: Quantity;
  "aria-rowindex"?: Quantity;
  "aria-rowindextext"?: Words;
  "aria-rowspan"?: Quantity;
  "aria-selected"?: State;
  "aria-setsize"?: Quantity;
  "aria-sort"?: OneOf<"none" | "ascending" | "descending" | "other">;
  "aria-valuemax"?: Quantity;
  "aria-valuemin"?: Quantity;
  "aria-valuenow"?: Quantity;
  "aria-valuetext"?: Words;
}

/** The attributes above, and any that are newer than this list. */
export type AriaAttributes = NamedAria & {
  [Name in `aria-${string}`]?: string | number | boolean | null | undefined;
};
