/**
 * Logging as the layers see it: four levels, fields first, then the message, which is how pino and those like it are
 * called. Where the lines go is the app's to decide (src/app/observability/log.ts).
 */

/** What stands beside the message. An error goes by the name `err`. Never a secret, a token, a cookie or a payload. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Anything that logs like pino: a pino instance, or an object of these four. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
/** The least that is logged; `silent` is nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const nothing = (): void => undefined;

/** Says nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
