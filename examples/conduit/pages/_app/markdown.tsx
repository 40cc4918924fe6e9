/** Renders a subset of Markdown as elements. The text of an author never becomes HTML. */
import type { Child } from "svckit";

/** Paragraphs, headings, lists, quotes and code blocks, with inline emphasis, code and links. */
export function Markdown(props: { text: string }) {
  return <>{blocksOf(props.text).map((block) => blockOf(block))}</>;
}

function blocksOf(text: string): string[] {
  return text
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== "");
}

function blockOf(block: string): Child {
  const heading = /^#{1,6}\s+(.*)$/.exec(block);
  if (heading) return <h2>{inlineOf(heading[1] ?? "")}</h2>;
  if (block.startsWith("```")) return <pre>{block.replaceAll(/^```\w*\n?|\n?```$/g, "")}</pre>;
  if (block.startsWith("> ")) return <blockquote>{inlineOf(block.replaceAll(/^> ?/gm, ""))}</blockquote>;
  const lines = block.split("\n");
  if (!lines.every((line) => /^[-*] /.test(line))) return <p>{inlineOf(block)}</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li>{inlineOf(line.slice(2))}</li>
      ))}
    </ul>
  );
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

function inlineOf(text: string): Child[] {
  const parts: Child[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, label, url] = match;
    parts.push(text.slice(from, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else if (emphasis !== undefined) parts.push(<em>{emphasis}</em>);
    else
      parts.push(
        <a href={url} rel="nofollow ugc">
          {label}
        </a>,
      );
    from = match.index + whole.length;
  }
  parts.push(text.slice(from));
  return parts;
}
