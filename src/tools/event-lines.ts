/** Reads server-sent events (HTML, "Server-sent events"): only the data, which is all that AI endpoints send. */

/** The data of each event, its lines joined. An event that the stream's end cut off is left out, as the standard says. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let text = "";
  let data: string[] = [];
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    // A return at the very end may be half of a line break.
    for (let end = nextBreak(text); end; end = nextBreak(text)) {
      const line = text.slice(0, end.index);
      text = text.slice(end.index + end[0].length);
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      else if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
}

function nextBreak(text: string): RegExpExecArray | null {
  return /\r\n|\n|\r(?!$)/.exec(text);
}
