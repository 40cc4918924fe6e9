/** Loads `.env` files into the environment of a command, with the files and the precedence of Vite. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/**
 * Sets the variables of `.env.<mode>.local`, `.env.<mode>`, `.env.local` and `.env`. The first file that has a variable determines its
 * value. A variable that is already set keeps its value.
 * @param root folder of the files. @param mode such as `production`. @param env is changed
 * @example
 * loadEnvFiles(process.cwd(), "production", process.env);
 */
export function loadEnvFiles(root: string, mode: string, env: NodeJS.ProcessEnv): void {
  for (const name of [`.env.${mode}.local`, `.env.${mode}`, ".env.local", ".env"]) {
    const file = join(root, name);
    if (!existsSync(file)) continue;
    for (const [variable, value] of Object.entries(parseEnv(readFileSync(file, "utf8")))) env[variable] ??= value;
  }
}
