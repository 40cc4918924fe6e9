/** `llms.txt`: describes the site for AI assistants, as Markdown (llmstxt.org). */

export interface LlmsOptions {
  /** Name of the site. */
  title: string;
  /** Summary in a sentence or two. */
  summary?: string;
  /** Details that help to read the rest: Markdown without headings. */
  details?: string;
  /** Links by heading. Default: every page without parameters that robots may index, under "Pages". */
  sections?: Readonly<Record<string, readonly LlmsLink[]>>;
}

export interface LlmsLink {
  title: string;
  /** A path of this site, or an absolute URL. */
  href: string;
  note?: string;
}

/** @param origin `https://example.com` @param pages links of the default section. */
export function llmsText(options: LlmsOptions, origin: string, pages: readonly LlmsLink[]): string {
  const { title, summary, details, sections = { Pages: pages } } = options;
  const parts = [
    `# ${oneLine(title)}`,
    ...(summary === undefined ? [] : [`> ${oneLine(summary)}`]),
    ...(details === undefined ? [] : [details.trim()]),
    ...Object.entries(sections).flatMap(([heading, links]) => [
      `## ${oneLine(heading)}`,
      links.map((link) => linkLine(link, origin)).join("\n"),
    ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function linkLine({ title, href, note }: LlmsLink, origin: string): string {
  // A parenthesis would end the link's target.
  const target = new URL(href, origin).href.replaceAll("(", "%28").replaceAll(")", "%29");
  const label = oneLine(title).replace(/[[\]\\]/g, "\\$&");
  return `- [${label}](${target})${note === undefined ? "" : `: ${oneLine(note)}`}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
