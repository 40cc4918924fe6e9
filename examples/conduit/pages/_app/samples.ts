/** Sample articles and authors. Nobody can sign in as these authors, because they have no password. */
import type { Article, User } from "./store.ts";

interface Sample {
  user: Pick<User, "username" | "email" | "passwordHash" | "bio">;
  written: Omit<Article, "slug" | "author">[];
}

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 0, 5, 9);

const TOPICS = [
  ["How to wait for a machine", "A queue is a promise about order", ["queues", "workers"]],
  ["The last mile of a webhook", "What a receiver should check, and why", ["webhooks", "security"]],
  ["Forms without a script", "They still work, and that is the point", ["html", "forms"]],
  ["A page that resumes", "Nothing runs twice", ["html", "performance"]],
  ["One file is a database", "What a write-ahead log does for you", ["sqlite", "performance"]],
  ["Names are the design", "Call a thing what it is", ["craft"]],
  ["Errors that help", "Report the input, the allowed values and the fix", ["craft"]],
  ["Clocks in tests", "Let the test say what time it is", ["tests", "craft"]],
  ["On idempotency", "Twice is the same as once", ["queues", "webhooks"]],
  ["Reading a flame graph", "Wide is slow, deep is only deep", ["performance"]],
  ["The cost of a dependency", "It is never only its bytes", ["craft", "security"]],
  ["Small steps to production", "A deploy a day", ["craft", "tests"]],
] as const;

const AUTHORS = [
  { username: "ada", bio: "Writes about engines." },
  { username: "grace", bio: "Compiles things, and explains them." },
  { username: "linus", bio: "Mostly kernels." },
];

export function samples(): Sample[] {
  return AUTHORS.map(({ username, bio }, author) => ({
    user: { username, bio, email: `${username}@example.com`, passwordHash: "" },
    written: TOPICS.flatMap(([title, description, tags], at) =>
      at % AUTHORS.length === author ? [written(title, description, tags, at)] : [],
    ),
  }));
}

function written(
  title: string,
  description: string,
  tags: readonly string[],
  at: number,
): Omit<Article, "slug" | "author"> {
  const body = `${description}. That is the short of it.\n\n## The long of it\n\nMost of what is written about this is about *tools*. This is about **habits**:\n\n- begin with what the reader sees\n- write \`the test\` that fails\n- stop when it is true\n\n> It is done when nothing can be taken away.\n`;
  return { title, description, tags: [...tags], body, createdMs: FIRST_MS + at * DAY_MS };
}
