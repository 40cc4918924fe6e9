/**
 * The default log of an app: JSON lines in pino's format in production, readable lines in development, both on stderr (stdout is for
 * output of commands). A log line is always one line, and never contains the app's secrets.
 */
import { hostname } from "node:os";
import { styleText } from "node:util";
import type { Clock } from "../../platform/shared/clock.ts";
import { LOG_LEVELS, type Log, type LogFields, type LogLevel } from "../../platform/shared/log.ts";
import type { Config } from "../lifecycle/config.ts";
import type { LogRedaction } from "./log-redaction.ts";

/** Target of log lines; the part of `process.stderr` that is used. */
export interface LogSink {
  write(text: string): unknown;
  isTTY?: boolean;
}

export interface LogOptions {
  level: LogLevel;
  /** `json` for machines, `text` for people. */
  format: "json" | "text";
  clock: Clock;
  sink: LogSink;
  /** Values that no line may contain. */
  hidden: LogRedaction;
  /** Whether readable lines are coloured. */
  isColored: boolean;
}

/** The default log of an app. @param hidden may get more values later @see https://no-color.org */
export function processLog(config: Config, clock: Clock, hidden: LogRedaction): Log {
  const sink: LogSink = process.stderr;
  const { env } = process;
  return createLog({
    level: config.logLevel,
    format: config.isProduction ? "json" : "text",
    clock,
    sink,
    hidden,
    isColored: sink.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb",
  });
}

type Level = keyof Log;

/** Levels of pino. */
const NUMBERS: Record<Level, number> = { debug: 20, info: 30, warn: 40, error: 50 };
const COLORS = { debug: "gray", info: "green", warn: "yellow", error: "red" } as const;
/** Causes of an error to log. */
const MAX_CAUSES = 5;

/** @returns a log whose levels below `level` cost one call. */
export function createLog(options: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(options.level);
  const format = options.format === "json" ? jsonLines(options.clock) : textLines(options);
  const method = (level: Level): Log[Level] => {
    if (LOG_LEVELS.indexOf(level) < least) return () => undefined;
    return (fields, message) => void options.sink.write(`${options.hidden.hide(format(level, fields, message))}\n`);
  };
  return { debug: method("debug"), info: method("info"), warn: method("warn"), error: method("error") };
}

type Format = (level: Level, fields: LogFields, message: string) => string;

function jsonLines(clock: Clock): Format {
  const origin = `,"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  return (level, fields, message) => {
    let line = `{"level":${NUMBERS[level]},"time":${clock.now()}${origin}`;
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) line += `,${JSON.stringify(name)}:${jsonOf(name === "err" ? plainError(value) : value)}`;
    }
    return `${line},"msg":${JSON.stringify(message)}}`;
  };
}

/** A log must not fail: a value without a JSON form (a cycle, a bigint) is logged as text. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return JSON.stringify(String(value));
  }
}

/** An error in the format of pino's serializer, with its causes. */
function plainError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    stack: stack ?? message,
    ...("code" in error ? { code: error.code } : {}),
    ...(cause === undefined || depth === MAX_CAUSES ? {} : { cause: plainError(cause, depth + 1) }),
  };
}

function textLines({ isColored }: LogOptions): Format {
  const paint = (color: "gray" | "green" | "yellow" | "red", text: string): string =>
    isColored ? styleText(color, text, { validateStream: false }) : text;
  return (level, { err, ...fields }, message) => {
    const rest = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => visible(` ${name}=${typeof value === "string" ? value : jsonOf(value)}`));
    const reported = err === undefined ? "" : `\n${visible(stackOf(err))}`;
    const beside = rest.length === 0 ? "" : paint("gray", rest.join(""));
    return `${paint(COLORS[level], `svc ${level}:`)} ${visible(message)}${beside}${reported}`;
  };
}

/** The stack with those of its causes. */
function stackOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined || depth === MAX_CAUSES
    ? own
    : `${own}\ncaused by ${stackOf(error.cause, depth + 1)}`;
}

/** Control characters could overwrite earlier output of a terminal. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
