/** `lines.js`: calls of streaming server actions. The response has one line of JSON per value, then the envelope. */
import { ACTION_STREAM_TYPE, type ActionLine } from "../../../platform/shared/wire.ts";
import { landed, lost, post, sendBy } from "./act.ts";

/** The client stub of a streaming action. The request is sent at once. Leaving the loop early cancels it. */
export const lines =
  (name: string) =>
  (...args: unknown[]): AsyncGenerator => {
    const way = sendBy((path, init) =>
      way(path, { ...init, headers: { ...(init!.headers as Record<string, string>), accept: ACTION_STREAM_TYPE } }),
    );
    try {
      const answer = post(name, args);
      // The reader of the generator gets this error. Without this handler it would also count as an unhandled rejection.
      answer.catch(() => {});
      return read(answer);
    } finally {
      sendBy(way);
    }
  };

async function* read(answer: Promise<Response>): AsyncGenerator {
  const response = await answer;
  // Rejected before the first value, or answered by a proxy.
  if (response.headers.get("content-type") !== ACTION_STREAM_TYPE) return void (await landed(response));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(lost);
      if (done) lost(new Error("The response was cut off"));
      const texts = (rest + value).split("\n");
      rest = texts.pop()!;
      for (const text of texts) {
        // Empty lines are keep-alives.
        if (!text) continue;
        const line = JSON.parse(text) as ActionLine;
        if ("ok" in line) return void (await landed(new Response(text, { status: line.status })));
        yield line.value;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
