/** An address of a database, as people may see it. */

/** Of a server's address: what says nothing of how to get in. */
const SHOWN = new Set(["schema", "connections", "sslmode", "application_name"]);
/** A shorter one is a word that stands in lines for other reasons. */
const MIN_PASSWORD_LENGTH = 6;

/** @param url `postgres://…`, or one of this machine @returns it without its password, wherever that stands */
export function shownDatabaseUrl(url: string): string {
  if (!url.includes("://")) return url;
  const parsed = parse(url);
  if (!parsed) return `${url.slice(0, url.indexOf("://"))}://…`;
  if (parsed.password !== "") parsed.password = "…";
  const shown = [...parsed.searchParams].filter(([name]) => SHOWN.has(name));
  parsed.search = String(new URLSearchParams(shown));
  return parsed.href.replace("%E2%80%A6", "…");
}

/** Passwords as they stand in it and as they are meant. */
export function passwordsOf(url: string): string[] {
  const parsed = parse(url);
  const written = [parsed?.password ?? "", ...(parsed?.searchParams.getAll("password") ?? [])];
  return written.flatMap((value) => [value, decoded(value)]).filter(({ length }) => length >= MIN_PASSWORD_LENGTH);
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
