/**
 * A quiet reporter for node:test: names failures in full and everything else not at all, and ends with one JSON
 * line of counts that scripts/test.ts adds up. Suites are not counted, only tests.
 */
import type { TestEvent } from "node:test/reporters";

/** First characters of the line that carries the counts. */
export const COUNTS_PREFIX = "svc-test-counts ";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Outcome {
  name: string;
  file?: string;
  skip?: string | boolean;
  todo?: string | boolean;
  details: { type?: string; error?: Error & { cause?: unknown } };
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const event of source) {
    if (event.type === "test:pass" || event.type === "test:fail") {
      const outcome = event.data as unknown as Outcome;
      if (outcome.details.type === "suite") continue;
      if (outcome.skip !== undefined && outcome.skip !== false) {
        counts.skipped++;
        yield `  skipped: ${outcome.name} (${String(outcome.skip)})\n`;
      } else if (event.type === "test:pass") {
        counts.passed++;
      } else {
        counts.failed++;
        yield describeFailure(outcome);
      }
    } else if (event.type === "test:stderr" || event.type === "test:stdout") {
      yield (event.data as { message: string }).message;
    }
  }
  yield `\n${COUNTS_PREFIX}${JSON.stringify(counts)}\n`;
}

function describeFailure(outcome: Outcome): string {
  const error = outcome.details.error;
  const cause = error?.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return `\n  FAILED: ${outcome.name}${outcome.file ? ` (${outcome.file})` : ""}\n${text.replace(/^/gm, "    ")}\n`;
}
