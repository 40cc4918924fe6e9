/** Values that no line of a log may hold: keys, passwords, secrets; those that are made later too. */
import type { Config } from "../lifecycle/config.ts";
import { passwordsOf } from "../lifecycle/database-url.ts";

const HIDDEN = "[hidden]";

export class LogRedaction {
  #values: string[] = [];
  #spellings: string[] = [];

  constructor(values: readonly string[] = []) {
    this.add(values);
  }

  /** Each as it is, and as JSON spells it; longest first, since one may hold another. */
  add(values: readonly string[]): void {
    this.#values.push(...values.filter((value) => value !== ""));
    const all = this.#values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    this.#spellings = [...new Set(all)].sort((a, b) => b.length - a.length);
  }

  hide(line: string): string {
    let hidden = line;
    for (const value of this.#spellings) if (hidden.includes(value)) hidden = hidden.replaceAll(value, HIDDEN);
    return hidden;
  }
}

/** What the variables hold of them. */
export function secretsOf(config: Config): string[] {
  const { secret, previousSecrets, webhookSecret, execApiKey, otlp, databaseUrl } = config;
  const keys = [secret, ...previousSecrets, webhookSecret, execApiKey].filter((value) => value !== undefined);
  return [...keys, ...Object.values(otlp?.headers ?? {}), ...passwordsOf(databaseUrl)];
}
