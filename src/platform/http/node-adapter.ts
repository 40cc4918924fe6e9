/** Runs the pipeline for one request that arrived over node:http. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchanged, Pipeline } from "./pipeline.ts";
import { hasBody, NodeSource, refuseAmbiguous } from "./request/node-source.ts";
import { NO_TARGET } from "./request/target.ts";
import { isPromise } from "./response/close-iterator.ts";
import { writeNode } from "./response/write-response.ts";
import type { Result } from "./types.ts";

export class NodeExchange {
  readonly #pipeline: Pipeline;
  readonly #message: IncomingMessage;
  readonly #reply: ServerResponse;
  /** Whether the client disconnected before the response: Node then treats an unsent end as sent. */
  #hasLeft = false;

  constructor(pipeline: Pipeline, message: IncomingMessage, reply: ServerResponse) {
    this.#pipeline = pipeline;
    this.#message = message;
    this.#reply = reply;
    pipeline.began();
  }

  run(): Promise<void> | void {
    const source = new NodeSource(this.#message, this.#reply, this.#pipeline.trusted);
    const exchanged = this.#pipeline.respond(source, () => refuseAmbiguous(this.#message));
    return isPromise(exchanged) ? exchanged.then((it) => this.#deliver(it)) : this.#deliver(exchanged);
  }

  #deliver(exchanged: Exchanged): Promise<void> | void {
    try {
      const sent = this.#pipeline.send(exchanged, (result) => this.#write(exchanged, result));
      if (isPromise(sent)) return this.#endLater(exchanged, sent);
    } catch (error) {
      this.#cut(exchanged, error);
    }
    this.#ended(exchanged);
  }

  /** Ends when all is sent or the client has disconnected: the source of the body may never end by itself. */
  async #endLater(exchanged: Exchanged, sent: Promise<unknown>): Promise<void> {
    const reply = this.#reply;
    const hasClosed = new Promise<void>((resolve) => void (reply.destroyed ? resolve() : reply.once("close", resolve)));
    await Promise.race([sent.catch((error: unknown) => this.#cut(exchanged, error)), hasClosed]);
    this.#ended(exchanged);
  }

  #write({ ctx }: Exchanged, result: Result): Promise<void> | void {
    const [message, reply] = [this.#message, this.#reply];
    this.#hasLeft = reply.destroyed;
    if (reply.headersSent) throw new TypeError("The response has already been sent by other code");
    // Does not read an unread body to keep the connection: the body may be the reason for the rejection.
    const isUnread = !message.complete && hasBody(message);
    // An unparseable request may contain a second one (request smuggling), so the connection closes.
    if (isUnread || ctx.path === NO_TARGET.path) reply.shouldKeepAlive = false;
    return writeNode(reply, ctx, result, message.method === "HEAD");
  }

  #cut({ ctx }: Exchanged, error: unknown): void {
    this.#pipeline.report(error, ctx);
    // The status is already sent, so aborting the connection is the only way to signal an incomplete response.
    this.#reply.destroy();
  }

  #ended(exchanged: Exchanged): void {
    const { destroyed, writableFinished } = this.#reply;
    this.#pipeline.ended(exchanged, this.#hasLeft || (destroyed && !writableFinished));
  }
}
