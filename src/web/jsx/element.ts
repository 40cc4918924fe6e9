/** What JSX is to TypeScript, and what may stand between tags. */

/** Exists in types only; the class that carries it is web/ssr/html.ts. */
export declare const markup: unique symbol;

/** A piece of JSX. The compiler turns it into HTML text on the server; nothing else can be made of it. */
export interface Markup {
  readonly [markup]: true;
}

/** What may stand between tags: text is escaped, `null`, `undefined` and booleans are nothing, arrays are joined. */
export type Child = Markup | string | number | bigint | boolean | null | undefined | readonly Child[];
