/** `region.js`: lists and conditions, for pages that have any. */
export { Branch } from "./branch.ts";
export { For } from "./list.ts";
export { tpl } from "./template.ts";
