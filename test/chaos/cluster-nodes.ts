/** The processes of a cluster: started, found by their role while they are up, ended. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Place } from "./cluster-network.ts";
import { LISTENS } from "./cluster-process.ts";

export type Role = "web" | "worker";

const START_MS = 60_000;
const SCRIPT = join(fileURLToPath(import.meta.url), "../cluster-process.js");

export const any = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

export class ClusterNode {
  readonly child: ChildProcess;
  readonly role: Role;
  readonly place: Place;
  url = "";

  constructor(role: Role, place: Place, env: NodeJS.ProcessEnv) {
    this.role = role;
    this.place = place;
    const { command, args } = place.start(process.execPath, [SCRIPT, "go"]);
    this.child = spawn(command, args, {
      env: { ...process.env, ...env, SVC_DATABASE_URL: place.databaseUrl, SVC_ROLE: role },
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
  readonly #places: readonly [Place, ...Place[]];
  readonly #env: NodeJS.ProcessEnv;

  constructor(places: readonly [Place, ...Place[]], env: NodeJS.ProcessEnv) {
    this.#places = places;
    this.#env = env;
  }

  up(...roles: Role[]): ClusterNode[] {
    return this.#all.filter((node) => node.isUp && roles.includes(node.role));
  }

  /** Those who work stand at every place in turn, those who serve where this process can reach them. */
  boot(role: Role, at = 0): void {
    const place = role === "web" ? this.#places[0] : (this.#places[at % this.#places.length] ?? this.#places[0]);
    this.#all.push(new ClusterNode(role, place, this.#env));
  }

  /** One that takes the place of another. */
  replace({ role, place }: ClusterNode): void {
    this.boot(role, this.#places.indexOf(place));
  }

  /** Boots all that there are to be, and waits until they are up. */
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
