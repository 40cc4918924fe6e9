/**
 * A quiet reporter for node:test: names failures in full and everything else not at all, and ends with one JSON
 * line of counts that scripts/test.ts adds up. Suites are not counted, only tests; but what goes wrong outside of a
 * test is a failure, too: a hook that fails, and what throws when its test has long ended, which the runner only remarks.
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
  details: { type?: string; error?: Error & { cause?: unknown; failureType?: string } };
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const event of source) {
    if (event.type === "test:pass" || event.type === "test:fail") {
      const outcome = event.data as unknown as Outcome;
      if (outcome.details.type === "suite" && !hasFailedByItself(event.type, outcome)) continue;
      if (outcome.skip !== undefined && outcome.skip !== false) {
        counts.skipped++;
        yield `  skipped: ${outcome.name} (${String(outcome.skip)})\n`;
      } else if (event.type === "test:pass") {
        counts.passed++;
      } else {
        counts.failed++;
        yield describeFailure(outcome);
      }
    } else if (event.type === "test:diagnostic" && /^(Error|Warning): /.test(event.data.message)) {
      counts.failed++;
      yield `\n  FAILED: ${event.data.message}\n`;
    } else if (event.type === "test:stderr" || event.type === "test:stdout") {
      yield (event.data as { message: string }).message;
    }
  }
  yield `\n${COUNTS_PREFIX}${JSON.stringify(counts)}\n`;
}

/** Of a hook, or as it was declared: its tests tell nothing of that. */
function hasFailedByItself(type: string, { details }: Outcome): boolean {
  return type === "test:fail" && details.error?.failureType !== "subtestsFailed";
}

function describeFailure(outcome: Outcome): string {
  const error = outcome.details.error;
  const cause = error?.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return `\n  FAILED: ${outcome.name}${outcome.file ? ` (${outcome.file})` : ""}\n${text.replace(/^/gm, "    ")}\n`;
}
