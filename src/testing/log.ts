/** A log for tests that keeps its entries. */
import type { Log, LogFields } from "../platform/shared/log.ts";

export interface LogEntry {
  level: keyof Log;
  message: string;
  fields: LogFields;
}

export interface RecordedLog extends Log {
  readonly entries: readonly LogEntry[];
  /** Each entry as one text: level, message, fields, and the stack of `err`. */
  readonly texts: readonly string[];
}

/**
 * For `createApp({ log })` and `createEngine({ log })`.
 * @example
 * const log = recordLog();
 * const app = createApp({ log });
 * await app.boot();
 * console.log(log.texts);
 */
export function recordLog(): RecordedLog {
  const entries: LogEntry[] = [];
  const texts: string[] = [];
  const method =
    (level: keyof Log): Log[keyof Log] =>
    (fields, message) => {
      const entry = { level, message, fields };
      entries.push(entry);
      texts.push(textOf(entry));
    };
  return {
    entries,
    texts,
    debug: method("debug"),
    info: method("info"),
    warn: method("warn"),
    error: method("error"),
  };
}

function textOf({ level, message, fields }: LogEntry): string {
  const { err, ...rest } = fields;
  const stack = err instanceof Error ? err.stack : err;
  return `${level} ${message} ${JSON.stringify(rest)}${stack === undefined ? "" : `\n${String(stack)}`}`;
}
