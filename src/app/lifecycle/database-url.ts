/** Database URLs for display. */

/** Query parameters that contain no credentials. */
const SHOWN = new Set(["schema", "connections", "sslmode", "application_name"]);
/** A shorter password may occur in log lines by chance. */
const MIN_PASSWORD_LENGTH = 6;

/** @param url `postgres://…`, or a local one @returns the URL without its password, wherever that is */
export function shownDatabaseUrl(url: string): string {
  if (!url.includes("://")) return url;
  const parsed = parse(url);
  if (!parsed) return `${url.slice(0, url.indexOf("://"))}://…`;
  if (parsed.password !== "") parsed.password = "…";
  const shown = [...parsed.searchParams].filter(([name]) => SHOWN.has(name));
  parsed.search = String(new URLSearchParams(shown));
  return parsed.href.replace("%E2%80%A6", "…");
}

/** Passwords in encoded and decoded form. */
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
