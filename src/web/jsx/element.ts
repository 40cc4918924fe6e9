/** The type of JSX expressions and of their children. */

/** Exists only in types; the class with this property is in web/ssr/html.ts. */
export declare const markup: unique symbol;

/** A piece of JSX. The compiler turns it into HTML text on the server; it has no other use. */
export interface Markup {
  readonly [markup]: true;
}

/** A child of an element: text is escaped, `null`, `undefined` and booleans render nothing, arrays are joined. */
export type Child = Markup | string | number | bigint | boolean | null | undefined | readonly Child[];
