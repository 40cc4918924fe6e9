/** `lines.js`: server actions that stream, called from browser code: a line of JSON for each value, last the envelope. */
import { ACTION_STREAM_TYPE, type ActionLine } from "../../../platform/shared/wire.ts";
import { landed, lost, post, sendBy } from "./act.ts";

/** The stub of such an action. The call goes out at once; whoever leaves the loop early hangs up. */
export const lines =
  (name: string) =>
  (...args: unknown[]): AsyncGenerator => {
    const way = sendBy((path, init) =>
      way(path, { ...init, headers: { ...(init!.headers as Record<string, string>), accept: ACTION_STREAM_TYPE } }),
    );
    try {
      const answer = post(name, args);
      // Told to who reads it.
      answer.catch(() => {});
      return read(answer);
    } finally {
      sendBy(way);
    }
  };

async function* read(answer: Promise<Response>): AsyncGenerator {
  const response = await answer;
  // Refused before its first value, or answered by something on the way.
  if (response.headers.get("content-type") !== ACTION_STREAM_TYPE) return void (await landed(response));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(lost);
      if (done) lost(new Error("The answer was cut off"));
      const texts = (rest + value).split("\n");
      rest = texts.pop()!;
      for (const text of texts) {
        // An empty line only says that the connection lives.
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
