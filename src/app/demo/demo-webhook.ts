/**
 * The webhook of the demo: this process's inbox, registered while the demo is in use. It receives samples only, because it listens to no
 * graph or worker that an app can have, and they are signed with a secret of this process.
 */
import type { Timer } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { newSecret } from "../../webhooks/signing/sign.ts";
import type { Services } from "../services.ts";

/** Not a valid name of a graph or worker, so no run matches it. */
const NO_WORKER = "(webhook demo)";
/** Long enough for the second attempt of a receiver that fails once, and for looking at it. */
const KEPT_MS = 10 * 60_000;

export class DemoWebhook {
  readonly secret = newSecret();
  readonly #services: Services;
  #removal: Timer | undefined;
  #id: string | undefined;

  constructor(services: Services) {
    this.#services = services;
    services.closing.addEventListener("abort", () => this.#remove(), { once: true });
  }

  /** Registers the inbox for the next minutes. @returns the id of the registration */
  async register(url: string): Promise<string> {
    const { webhooks, clock } = this.#services;
    const { registration } = await webhooks.create({
      url,
      events: ["graph.done"],
      workers: [NO_WORKER],
      enabled: true,
      description: "Demo inbox",
      secret: this.secret,
    });
    this.#removal?.cancel();
    this.#removal = clock.schedule(KEPT_MS, () => this.#remove());
    return (this.#id = registration.id);
  }

  #remove(): void {
    const id = this.#id;
    this.#removal?.cancel();
    this.#id = undefined;
    if (id === undefined) return;
    this.#services.webhooks.remove(id).catch((err: unknown) => {
      // An operator may have removed it.
      if (!(err instanceof SvcError && err.code === "SVC_NOT_FOUND"))
        this.#services.log.warn({ err }, "Failed to remove the webhook of the demo. It receives nothing");
    });
  }
}
