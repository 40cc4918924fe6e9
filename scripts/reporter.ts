/**
 * A quiet reporter for node:test. It prints failures and skipped tests only, each under its full name ("suite › test"), and ends with
 * one line of counts for scripts/test.ts. Counts include tests, not suites. An error outside of a test is a failure too: a hook that
 * fails, or code that throws after its test has ended.
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
  /** Number of suites around it. */
  nesting: number;
  file?: string;
  skip?: string | boolean;
  todo?: string | boolean;
  details: { type?: string; error?: Error & { cause?: unknown; failureType?: string } };
}

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  /** Names of the suites around the current test, outermost first: the runner announces a suite before its tests. */
  const started: string[] = [];
  for await (const event of source) {
    if (event.type === "test:start") {
      const { name, nesting } = event.data;
      started.length = nesting;
      started.push(name);
    } else if (event.type === "test:pass" || event.type === "test:fail") {
      const outcome = event.data as unknown as Outcome;
      const fullName = [...started.slice(0, outcome.nesting), outcome.name].join(" › ");
      if (outcome.details.type === "suite" && !hasFailedByItself(event.type, outcome)) continue;
      if (outcome.skip !== undefined && outcome.skip !== false) {
        counts.skipped++;
        yield `  skipped: ${fullName} (${String(outcome.skip)})\n`;
      } else if (event.type === "test:pass") {
        counts.passed++;
      } else {
        counts.failed++;
        yield describeFailure(fullName, outcome);
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

/** A hook of the suite or its declaration failed. No test reports that. */
function hasFailedByItself(type: string, { details }: Outcome): boolean {
  return type === "test:fail" && details.error?.failureType !== "subtestsFailed";
}

function describeFailure(fullName: string, outcome: Outcome): string {
  const error = outcome.details.error;
  const cause = error?.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return `\n  FAILED: ${fullName}${outcome.file ? ` (${outcome.file})` : ""}\n${text.replace(/^/gm, "    ")}\n`;
}
