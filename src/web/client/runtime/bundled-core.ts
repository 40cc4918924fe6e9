/** Registers core before the loader looks it up, for the bundle of both. */
import * as core from "./core.ts";
import { loads, modules } from "./modules.ts";

modules.core = loads["core"] = core;
