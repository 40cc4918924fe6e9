/** Starts and kills the processes of a cluster, and finds those of a role that are up. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Location } from "./cluster-network.ts";
import { LISTENS } from "./cluster-process.ts";

export type Role = "web" | "worker";

const START_MS = 60_000;
const SCRIPT = join(fileURLToPath(import.meta.url), "../cluster-process.js");

export const any = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

export class ClusterNode {
  readonly child: ChildProcess;
  readonly role: Role;
  readonly location: Location;
  url = "";

  constructor(role: Role, location: Location, env: NodeJS.ProcessEnv) {
    this.role = role;
    this.location = location;
    const { command, args } = location.start(process.execPath, [SCRIPT, "go"]);
    this.child = spawn(command, args, {
      env: { ...process.env, ...env, SVC_DATABASE_URL: location.databaseUrl, SVC_ROLE: role },
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      if (line.startsWith(LISTENS)) this.url = line.slice(LISTENS.length);
    });
  }

  get isUp(): boolean {
    return this.url !== "" && this.child.exitCode === null && this.child.signalCode === null;
  }
}

export class ClusterNodes {
  readonly #all: ClusterNode[] = [];
  readonly #locations: readonly [Location, ...Location[]];
  readonly #env: NodeJS.ProcessEnv;

  constructor(locations: readonly [Location, ...Location[]], env: NodeJS.ProcessEnv) {
    this.#locations = locations;
    this.#env = env;
  }

  up(...roles: Role[]): ClusterNode[] {
    return this.#all.filter((node) => node.isUp && roles.includes(node.role));
  }

  /** Spreads worker processes over all locations. Web processes run where this process can reach them. */
  boot(role: Role, at = 0): void {
    const location =
      role === "web" ? this.#locations[0] : (this.#locations[at % this.#locations.length] ?? this.#locations[0]);
    this.#all.push(new ClusterNode(role, location, this.#env));
  }

  /** Starts a process with the role and location of another. */
  replace({ role, location }: ClusterNode): void {
    this.boot(role, this.#locations.indexOf(location));
  }

  /** Starts all processes and waits until they are up. */
  async bootAll(web: number, workers: number): Promise<void> {
    for (let at = 0; at < web; at++) this.boot("web");
    for (let at = 0; at < workers; at++) this.boot("worker", at);
    for (const endMs = Date.now() + START_MS; this.up("web").length < web || this.up("worker").length < workers;) {
      assert.ok(Date.now() < endMs, "the processes did not start");
      await sleep(50);
    }
  }

  killAll(): void {
    for (const { child } of this.#all) {
      child.kill("SIGCONT");
      child.kill("SIGKILL");
    }
  }
}
