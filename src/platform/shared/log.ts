/**
 * The logging interface of all layers: four levels; fields first, then the message, as in pino.
 * The app decides where the lines go (src/app/observability/log.ts).
 */

/** Fields of a log line. The field of an error is named `err`. Never a secret, token, cookie or payload. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Any logger with pino's interface: a pino instance, or an object with these four methods. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
/** Minimum level of logged lines; `silent` logs nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const nothing = (): void => undefined;

/** Logs nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
