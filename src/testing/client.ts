/** A test client: calls an app in memory, keeps cookies and sends CSRF tokens as a page would. Opens no socket. */
import type { App } from "../app/app-types.ts";
import { isCsrfIssuer, issueCsrfToken } from "../app/pipeline/csrf-issuer.ts";
import { COOKIES, CSRF_FIELD, FORM_FIELDS, HEADERS, PATHS, type ActionReply } from "../platform/shared/wire.ts";

export interface TestClientOptions {
  /** Default: the app's site URL (`SVC_SITE_URL`), because it answers for known hosts only; else `http://localhost`. */
  origin?: string;
  /** A page that contains a CSRF token. Needed if the client has only a `fetch`, as over a socket: an app issues tokens itself. */
  tokenPage?: string;
}

/** Values by field name. */
export type FormFields = Readonly<Record<string, string | Blob | readonly (string | Blob)[]>>;

export interface TestClient {
  /** Sends any request, with the kept cookies. `path` starts with a slash. */
  request(path: string, init?: RequestInit): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /**
   * Submits a form as a page of the site does: token and fields, multipart if a field is a file. A field may have several values.
   * @param page path of the page with the form, which shows the errors of a rejected form. Default: the last page that `get` requested
   */
  submit(path: string, fields: FormFields, page?: string): Promise<Response>;
  /** Posts JSON as a script of a page does, with the token in the header. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Calls a server action as browser code does. */
  action(name: string, ...args: unknown[]): Promise<{ status: number; reply: ActionReply }>;
  /** The session's CSRF token. */
  csrfToken(): Promise<string>;
  /** Cookies by name. */
  readonly cookies: ReadonlyMap<string, string>;
}

/**
 * Sends requests to an app in memory, with cookies and CSRF tokens as a browser has them.
 * @example
 * const client = createTestClient(app);
 * const response = await client.get("/");
 */
export function createTestClient(
  app: Pick<App, "fetch"> & Partial<Pick<App, "config">>,
  options: TestClientOptions = {},
): TestClient {
  // Asked at each request: an app whose configuration is invalid throws when it is used, not when its client is created.
  const origin = (): string => options.origin ?? app.config?.siteOrigin ?? "http://localhost";
  const cookies = new Map<string, string>();
  let token: string | undefined;
  let lastPage: string | undefined;

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of cookieHeaders(cookies)) headers.set(name, value);
    const response = await app.fetch(new Request(origin() + path, { redirect: "manual", ...init, headers }));
    for (const line of response.headers.getSetCookie()) {
      const name = keep(cookies, line);
      // A new session makes the old token invalid.
      if (name === COOKIES.session || name === COOKIES.secureSession) token = undefined;
    }
    token = response.headers.get(HEADERS.csrf) ?? token;
    return response;
  };
  const csrfToken = async (): Promise<string> => {
    if (token !== undefined && cookies.has(COOKIES.csrf)) return token;
    return (token = options.tokenPage === undefined ? await issuedToken() : await shownToken(options.tokenPage));
  };
  const issuedToken = async (): Promise<string> => {
    if (!isCsrfIssuer(app))
      throw new Error("createTestClient has no app that issues a CSRF token; pass tokenPage, a page that shows one");
    const issued = await app[issueCsrfToken](new Request(origin(), { headers: cookieHeaders(cookies) }));
    for (const line of issued.setCookies) keep(cookies, line);
    return issued.token;
  };
  const shownToken = async (page: string): Promise<string> => {
    const shown = tokenIn(await (await request(page)).text());
    if (shown === undefined) throw new Error(`${page} shows no CSRF token; pass another tokenPage`);
    return shown;
  };
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    request(path, {
      method: "POST",
      headers: { "content-type": "application/json", [HEADERS.csrf]: await csrfToken(), ...headers },
      body: JSON.stringify(body),
    });

  return {
    cookies,
    request,
    csrfToken,
    post,
    get: async (path, headers = {}) => {
      const response = await request(path, { headers });
      if (response.headers.get("content-type")?.startsWith("text/html")) lastPage = path;
      return response;
    },
    submit: async (path, fields, page = lastPage) => {
      // The first fields, as in a form: svc reads no file before it knows the token.
      const own = { [CSRF_FIELD]: await csrfToken(), ...(page !== undefined && { [FORM_FIELDS.page]: page }) };
      return request(path, { method: "POST", body: formBody({ ...own, ...fields }) });
    },
    action: async (name, ...args) => {
      const response = await post(`${PATHS.action}/${encodeURIComponent(name)}`, { args });
      return { status: response.status, reply: (await response.json()) as ActionReply };
    },
  };
}

function cookieHeaders(cookies: ReadonlyMap<string, string>): [string, string][] {
  if (cookies.size === 0) return [];
  return [["cookie", [...cookies].map((pair) => pair.join("=")).join("; ")]];
}

/** @returns the cookie's name */
function keep(cookies: Map<string, string>, line: string): string {
  const [pair = ""] = line.split(";", 1);
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals);
  if (/; Max-Age=0(?:;|$)/i.test(line)) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1));
  return name;
}

/** Finds the token in the state script of an interactive page, or in the hidden field of a form. */
function tokenIn(page: string): string | undefined {
  const inState = /"csrf_token":"([^"]+)"/.exec(page)?.[1];
  return inState ?? new RegExp(`name="${CSRF_FIELD}" value="([^"]+)"`).exec(page)?.[1];
}

function formBody(fields: FormFields): URLSearchParams | FormData {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (isList(value) ? value : [value]).map((one) => [name, one] as const),
  );
  const texts = pairs.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  if (texts.length === pairs.length) return new URLSearchParams(texts);
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  return form;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: FormFields[string]): value is readonly (string | Blob)[] {
  return Array.isArray(value);
}
