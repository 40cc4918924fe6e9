/** The published package in a folder of its own, as npm would install it, and apps that `svc new` writes there. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root, temporaryFolder } from "./demo-server.ts";

export interface PackedApp {
  /** Absolute path of the folder that contains everything. */
  readonly folder: string;
  /** Absolute path of the app. */
  readonly app: string;
  /** The command line of the packed svc. */
  readonly cli: string;
  remove(): void;
}

/** Runs a command as a person would, without the variables of the test. @returns what it prints */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...variables };
  const { stdout } = await promisify(execFile)(command, args, { cwd, env });
  return stdout;
}

/**
 * Unpacks the output of `npm pack`, links all other packages to the installed ones, and writes an app.
 * @param missing packages that are not linked
 */
export async function packedApp(name: string, missing: readonly string[] = []): Promise<PackedApp> {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  const modules = join(folder, "tools/node_modules");
  const cli = join(modules, "svckit/bin/svc.js");
  const app = join(folder, name);
  const packed = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
  mkdirSync(join(modules, "svckit"), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  const unpack = ["-xzf", join(folder, packed.trim()), "--strip-components=1", "-C", join(modules, "svckit")];
  await run("tar", unpack, folder);
  for (const each of readdirSync(join(root, "node_modules")))
    if (!each.startsWith(".") && each !== "svckit" && !missing.includes(each))
      symlinkSync(join(root, "node_modules", each), join(modules, each));
  symlinkSync(cli, join(modules, ".bin/svc"));
  symlinkSync(join(root, "node_modules/typescript/bin/tsc"), join(modules, ".bin/tsc"));
  await run(process.execPath, [cli, "new", name, "--svc", packed.trim()], folder);
  symlinkSync(modules, join(app, "node_modules"));
  return { folder, app, cli, remove: () => temporary.remove() };
}
