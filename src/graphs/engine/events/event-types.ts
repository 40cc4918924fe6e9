/** Sent events as the engine's callers see them. */
import type { Json } from "../../../platform/shared/json.ts";

export interface SendOptions {
  /**
   * Id of the event, such as the id of a webhook delivery: events of one name with the same id are handled once, as long as the first one is
   * stored (`eventRetention`). 1 to 255 characters. Default: a new id.
   */
  id?: string;
}

export interface SentEventsQuery {
  /** Default: events of all names. */
  name?: string;
  /** 1 to 200; default 50. */
  limit?: number;
  /** `nextCursor` of an earlier call. */
  cursor?: string;
}

/** A sent event as the API shows it. */
export interface SentEventView {
  id: string;
  name: string;
  data: Json;
  sent_ms: number;
  /** Whether it may not have reached all its runs yet. */
  pending: boolean;
}
