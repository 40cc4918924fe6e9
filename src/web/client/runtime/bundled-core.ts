/** Puts core in place before the loader looks for it. */
import * as core from "./core.ts";
import { loads, modules } from "./modules.ts";

modules.core = loads["core"] = core;
