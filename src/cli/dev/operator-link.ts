/** Prints the one-time link of `svc dev` to the operator screens: at the start, and whenever the developer presses `o` and Enter. */
import { createInterface } from "node:readline";
import type { App } from "../../app/app-types.ts";
import { LINK_MINUTES, OneTimeLink } from "../../platform/security/one-time-link.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { BASE_PATH } from "../../platform/shared/wire.ts";
import type { Output } from "../output.ts";

const SCREENS = `${BASE_PATH}/ops`;

/** The part of `process.stdin` that is used here. */
export type Keys = NodeJS.ReadableStream & { isTTY?: boolean };

export class OperatorLink {
  /** The token that the app accepts once. */
  readonly token: OneTimeLink;
  readonly #output: Output;
  readonly #keys: Keys;

  constructor(clock: Clock, output: Output, keys: Keys) {
    this.token = new OneTimeLink(clock);
    this.#output = output;
    this.#keys = keys;
  }

  /** @param app the app with the screens; undefined while it does not load. */
  print(app: App | undefined, url: string): void {
    if (app && !(app.config.exposes.operatorLink && app.extensionPaths.includes(SCREENS))) return;
    const output = this.#output;
    const link = `${url}${SCREENS}/link?token=${this.token.issue()}`;
    const more = this.#keys.isTTY ? "; press o and Enter for another" : "";
    output.line(`  Sign in to the screens  ${output.style("cyan", link)}`);
    output.line(`  ${output.style("dim", `This link works once, within ${LINK_MINUTES} minutes${more}.`)}`);
  }

  /** Reads keys from a terminal only. @returns stops reading. */
  onKey(print: () => void): () => void {
    if (!this.#keys.isTTY) return () => undefined;
    const lines = createInterface({ input: this.#keys, terminal: false });
    lines.on("line", (line) => {
      if (line.trim().toLowerCase() === "o") print();
    });
    return () => lines.close();
  }
}
