/** Sums up what a run used of language models: its `ai.usage` events, which workers emit (docs/guide/agents.md). Pure. */
import type { GraphEvent, Json } from "../../graph.ts";
import { countText } from "./format.ts";

export interface Usage {
  calls: number;
  /** Tokens. */
  prompt: number;
  completion: number;
  /** In the endpoint's or the author's unit; undefined if no cost was reported. */
  cost: number | undefined;
}

/** @returns undefined if no call was reported */
export function usageOf(events: readonly GraphEvent[]): Usage | undefined {
  const calls = events.map(usageIn).filter((data) => data !== undefined);
  if (calls.length === 0) return undefined;
  const sum = (key: string): number => calls.reduce((total, data) => total + (numberOf(data[key]) ?? 0), 0);
  return {
    calls: calls.length,
    prompt: sum("prompt_tokens"),
    completion: sum("completion_tokens"),
    cost: calls.some(({ cost }) => numberOf(cost) !== undefined) ? sum("cost") : undefined,
  };
}

/** `1,204 tokens in, 310 out, cost 0.0123`. */
export function usageText({ prompt, completion, cost }: Usage): string {
  const tokens = `${countText(prompt)} tokens in, ${countText(completion)} out`;
  return cost === undefined ? tokens : `${tokens}, cost ${Number(cost.toPrecision(3))}`;
}

type JsonObject = { [key: string]: Json };

function usageIn({ type, data }: GraphEvent): JsonObject | undefined {
  if (type !== "custom" || !isObject(data) || data["name"] !== "ai.usage") return undefined;
  return isObject(data["data"]) ? data["data"] : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
