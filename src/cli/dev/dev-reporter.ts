/** What happens under `svc dev`, told where it matters: to the terminal, to the pages that are open, to those that are asked for. */
import { faultPage, type DevFault } from "../../platform/shared/dev-fault.ts";
import { devScript } from "./dev-endpoints.ts";
import { faultOf, thrownOf, traceServer } from "./dev-fault.ts";
import type { DevPages } from "./dev-pages.ts";
import type { Output } from "../output.ts";
import { errorWithSource } from "../error-with-source.ts";

export class DevReporter {
  readonly #root: string;
  readonly #pages: DevPages;
  readonly #output: Output;
  #builds = 0;
  /** What every page is answered with for now. */
  fault: DevFault | undefined;

  /** @param root folder of the app. */
  constructor(root: string, pages: DevPages, output: Output) {
    this.#root = root;
    this.#pages = pages;
    this.#output = output;
  }

  /** An app answers. @param tookMs since the edit; undefined for the first one. */
  ready(tookMs: number | undefined): void {
    this.#builds++;
    this.fault = undefined;
    this.#pages.tell({ event: "build", data: this.#build });
    if (tookMs !== undefined) this.#output.line(this.#output.style("dim", `Reloaded in ${Math.round(tookMs)} ms`));
  }

  /** The app does not load. */
  broken(error: unknown): void {
    this.fault = this.brokenChunk(error);
  }

  /** The app loads, but some of its browser code does not. */
  brokenChunk(error: unknown): DevFault {
    const fault = faultOf("compile", thrownOf(error), this.#root, traceServer);
    this.#error("Error", errorWithSource(error, this.#root));
    this.#pages.tell({ event: "fault", data: fault });
    return fault;
  }

  thrownInBrowser({ code, message, place }: DevFault): void {
    const where = place ? `${place.file}:${place.line}:${place.column} ` : "";
    this.#error("Error in the browser", `${where}${code}: ${message}`);
  }

  /** The script of a page made now. */
  script(nonce: string): string {
    return devScript(nonce, this.#build);
  }

  /** A page in place of one that could not be rendered. */
  faultPage(error: unknown, nonce: string): string {
    return faultPage(faultOf("server", thrownOf(error), this.#root, traceServer), nonce, this.script(nonce));
  }

  /** Of this process: pages of an earlier one are out of date. */
  get #build(): string {
    return `${process.pid}-${this.#builds}`;
  }

  #error(what: string, text: string): void {
    this.#output.error(`${this.#output.style("red", what)} ${text}`);
  }
}
