/** The loaded modules, by the names under which the loader fetches them. */
import type { Modules } from "./types.ts";

export const modules: Modules = {};

/** Name -> pending or loaded module. The promises never reject. */
export const loads: Record<string, unknown> = {};
