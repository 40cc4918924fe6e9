/** Recognizes stylesheets by their names, and gives those that pages link a module without content. */

const STYLE = /\.(?:css|less|s[ac]ss|styl|stylus|pcss|postcss|sss)$/;
const MODULE = /\.module\.\w+$/;

/** Prefix of the ids of modules that replace a linked stylesheet, and their suffix. Without it Vite would read them as CSS. */
const PREFIX = "\0svc-style:";
const SUFFIX = ".js";

/** Whether a page links the file: `?url`, `?raw` and `?inline` import it as a value instead. */
export function isStyle(id: string): boolean {
  return STYLE.test(id);
}

/** Whether an import of the stylesheet has the value of its class names. */
export function hasClassNames(id: string): boolean {
  return MODULE.test(id);
}

/** The id of the empty module that replaces an imported stylesheet. */
export function emptyModuleOf(file: string): string {
  return PREFIX + file + SUFFIX;
}

/** @returns the stylesheet's file for such an id; undefined for other ids. */
export function styleOf(id: string): string | undefined {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length, -SUFFIX.length) : undefined;
}
