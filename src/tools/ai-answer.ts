/** An answer of a model, put together from what comes. No I/O; the endpoint is trusted with nothing but its shape. */
import type { Json } from "../platform/shared/json.ts";
import { parseJson } from "../platform/shared/json.ts";
import { aiError } from "./ai-error.ts";

export interface AiAnswer {
  text: string;
  /** Functions that the model wants called; `arguments` is the JSON it wrote, unchecked. */
  toolCalls: AiToolCall[];
  /** Why it ended, in the endpoint's words: `stop`, `length`, `tool_calls`. */
  finish: string | null;
  /** As the endpoint names it. */
  model: string;
  /** Undefined where the endpoint does not count. */
  usage: AiUsage | undefined;
}

/** As the wire has them, so that they can be handed on. */
export interface AiUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface AiToolCall {
  id: string;
  name: string;
  arguments: string;
}

type Fields = Readonly<Record<string, Json>>;

const NONE: Fields = {};

export class AnswerSoFar {
  #text = "";
  readonly #calls = new Map<number, AiToolCall>();
  #finish: string | null = null;
  #model = "";
  #usage: AiUsage | undefined;
  #hasAny = false;

  /**
   * Takes the next event, or a whole answer.
   * @returns the text it brought
   * @throws SvcError `SVC_UPSTREAM` for what is none
   */
  add(data: string): string {
    const event = fieldsOf(readJson(data));
    if (event["error"] !== undefined) throw aiError(JSON.stringify(event["error"]).slice(0, 500));
    this.#hasAny = true;
    this.#model = textOf(event["model"]) || this.#model;
    this.#usage = readUsage(event["usage"]) ?? this.#usage;
    const choice = fieldsOf(itemsOf(event["choices"])[0]);
    const message = fieldsOf(choice["delta"] ?? choice["message"]);
    this.#finish = textOf(choice["finish_reason"]) || this.#finish;
    for (const [at, call] of itemsOf(message["tool_calls"]).entries()) this.#addCall(fieldsOf(call), at);
    const text = textOf(message["content"]);
    this.#text += text;
    return text;
  }

  /** @throws SvcError `SVC_UPSTREAM` when it broke off, or never began. */
  whole(): AiAnswer {
    if (!this.#hasAny) throw aiError("it has answered nothing");
    if (this.#finish === null) throw aiError("its answer broke off");
    const toolCalls = [...this.#calls.values()];
    return { text: this.#text, toolCalls, finish: this.#finish, model: this.#model, usage: this.#usage };
  }

  /** Name and id come once, arguments in crumbs. */
  #addCall(part: Fields, at: number): void {
    const index = numberOf(part["index"]) ?? at;
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    const named = fieldsOf(part["function"]);
    call.id ||= textOf(part["id"]);
    call.name += textOf(named["name"]);
    call.arguments += textOf(named["arguments"]);
    this.#calls.set(index, call);
  }
}

function readJson(data: string): Json {
  try {
    return parseJson(data);
  } catch (error) {
    throw aiError("it has sent something else than JSON", error);
  }
}

function readUsage(value: Json | undefined): AiUsage | undefined {
  const fields = fieldsOf(value);
  const prompt = numberOf(fields["prompt_tokens"]);
  const completion = numberOf(fields["completion_tokens"]);
  if (prompt === undefined || completion === undefined) return undefined;
  const total = numberOf(fields["total_tokens"]) ?? prompt + completion;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total };
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : NONE;
}

function itemsOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
