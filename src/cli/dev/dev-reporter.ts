/** Reports the events of `svc dev`: to the terminal, to open pages, and in place of pages that can't be served. */
import { caughtFault, faultPage, type DevFault } from "../../platform/shared/dev-fault.ts";
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
  /** The fault that every page shows now. */
  fault: DevFault | undefined;

  /** @param root folder of the app. */
  constructor(root: string, pages: DevPages, output: Output) {
    this.#root = root;
    this.#pages = pages;
    this.#output = output;
  }

  /** Reports that an app is ready. @param tookMs milliseconds since the edit; undefined for the first app. */
  ready(tookMs: number | undefined): void {
    this.#builds++;
    this.fault = undefined;
    this.#pages.send({ event: "build", data: this.#build });
    if (tookMs !== undefined) this.#output.line(this.#output.style("dim", `Reloaded in ${Math.round(tookMs)} ms`));
  }

  /** Reports that the app does not load. */
  broken(error: unknown): void {
    this.fault = this.#show("compile", error);
  }

  /** Reports that a part of the app's browser code does not build. @param request its path */
  brokenChunk(error: unknown, request: string): void {
    this.#show("compile", error, request);
  }

  /** Reports that a stylesheet does not compile. @param request its path */
  brokenStyle(error: unknown, request: string): void {
    this.#show("style", error, request);
  }

  #show(kind: DevFault["kind"], error: unknown, request?: string): DevFault {
    const found = faultOf(kind, thrownOf(error), this.#root, traceServer);
    const fault: DevFault = { ...found, kind, ...(request !== undefined && { request }) };
    this.#error("Error", errorWithSource(error, this.#root));
    this.#pages.send({ event: "fault", data: fault });
    return fault;
  }

  thrownInBrowser({ code, message, place }: DevFault): void {
    const where = place ? `${place.file}:${place.line}:${place.column} ` : "";
    this.#error("Error in the browser", `${where}${code}: ${message}`);
  }

  /** The development script of a page that is rendered now. @param caught an error that the page shows in its own way */
  script(nonce: string, caught?: unknown): string {
    const script = devScript(nonce, this.#build);
    return caught === undefined ? script : caughtFault(this.#faultOf(caught), nonce) + script;
  }

  /** The page that replaces one that could not be rendered. */
  faultPage(error: unknown, nonce: string): string {
    return faultPage(this.#faultOf(error), nonce, this.script(nonce));
  }

  #faultOf(error: unknown): DevFault {
    return faultOf("server", thrownOf(error), this.#root, traceServer);
  }

  /** Id of this process and build: pages with another one are out of date. */
  get #build(): string {
    return `${process.pid}-${this.#builds}`;
  }

  #error(what: string, text: string): void {
    this.#output.error(`${this.#output.style("red", what)} ${text}`);
  }
}
