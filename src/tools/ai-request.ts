/** What a model is asked, and where. */
import type { Clock, Duration } from "../platform/shared/clock.ts";
import type { Json } from "../platform/shared/json.ts";

export interface AiOptions {
  /** What stands before `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  url: string;
  /** Sent as a bearer token, and never told in an error. Default: none. */
  key?: string;
  /** Where a request names no other. */
  model?: string;
  /** Ranges inside the network that the endpoint may be in: `["127.0.0.1/32"]`. Default: none. */
  allowCidrs?: readonly string[];
  /** Longest that one answer may take, to its last word. Default "5m". */
  timeout?: Duration;
  /** Default: the system's. */
  clock?: Clock;
}

/** Part of a conversation, as the endpoint takes it: `{ role: "user", content: "Hello" }`. */
export interface AiMessage {
  role: string;
  content?: Json;
  [more: string]: Json | undefined;
}

export interface AiRequest {
  /** A text alone is one message of the user. */
  messages: string | readonly AiMessage[];
  /** Default: that of `createAi`. */
  model?: string;
  /** Whatever else the endpoint takes: `{ temperature: 0, max_tokens: 300, tools: […] }`. */
  params?: Readonly<Record<string, Json>>;
}
