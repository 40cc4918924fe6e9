/** The JSON log lines of apps under test. They explain a failure, and are noise in the output of a green run. */

const LOG_LINE = /^\{"level":\d+,"time":\d+,.*\}$/;

/** @returns the text without log lines. */
export function withoutAppLogs(text: string): string {
  return text
    .split("\n")
    .filter((line) => !LOG_LINE.test(line))
    .join("\n");
}
