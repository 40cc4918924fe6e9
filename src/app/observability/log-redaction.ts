/** Values that no log line may contain: keys, passwords, secrets, including later ones. */
import type { Config } from "../lifecycle/config.ts";
import { passwordsOf } from "../lifecycle/database-url.ts";

const HIDDEN = "[hidden]";

export class LogRedaction {
  #values: string[] = [];
  #spellings: string[] = [];

  constructor(values: readonly string[] = []) {
    this.add(values);
  }

  /** Adds each as it is and as JSON spells it; longest first, because one may contain another. */
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

/** Secrets in the variables. */
export function secretsOf(config: Config): string[] {
  const { secret, previousSecrets, payloadKeys, payloadBucket, webhookSecret, execApiKey, otlp, databaseUrl } = config;
  const all = [
    secret,
    ...previousSecrets,
    ...payloadKeys.map((key) => key.secret),
    webhookSecret,
    execApiKey,
    payloadBucket?.secretAccessKey,
    payloadBucket?.sessionToken,
  ];
  const keys = all.filter((value) => value !== undefined);
  return [...keys, ...Object.values(otlp?.headers ?? {}), ...passwordsOf(databaseUrl)];
}
