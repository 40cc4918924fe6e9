/**
 * nginx, haproxy and Caddy in front of an app. By default nginx and haproxy have minimal proxy settings, which do not forward the client's
 * address; a test may give another configuration of the site.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";

export const PROXIES = ["nginx", "haproxy"] as const;
export type ProxyName = (typeof PROXIES)[number] | "caddy";

export interface Proxy {
  url: string;
  stop(): Promise<void>;
}

/** Debian installs them in a folder that is not in the PATH of normal users. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

function programOf(name: ProxyName): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** The option `skip` of a test. @throws Error if the program is missing and `SVC_TEST_PROXIES_REQUIRED` is set, as in CI */
export function withoutProxy(name: ProxyName): false | string {
  if (programOf(name) !== undefined) return false;
  const missing = `${name} is not installed here`;
  if (process.env["SVC_TEST_PROXIES_REQUIRED"]) throw new Error(`SVC_TEST_PROXIES_REQUIRED is set, but ${missing}`);
  return missing;
}

/**
 * @param folder for its files; the caller removes it
 * @param site the configuration of the site, for the address on which it listens and that of the app. Default: minimal settings
 */
export async function startProxy(
  name: ProxyName,
  upstream: string,
  folder: string,
  site: Site = MINIMAL[name],
): Promise<Proxy> {
  const port = await freePort();
  const home = join(folder, `${name}-${port}`);
  mkdirSync(home, { recursive: true });
  const file = join(home, "proxy.conf");
  writeFileSync(file, AROUND[name](site(`127.0.0.1:${port}`, new URL(upstream).host), home));
  const child = spawn(programOf(name) ?? name, ARGUMENTS[name](file, home), {
    // Caddy keeps its last configuration there.
    env: { ...process.env, XDG_CONFIG_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const exited = new Promise<void>((done) => child.once("close", () => done()));
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilForwards(url, child);
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`${name} does not forward to ${upstream}:\n${said}`, { cause: error });
  }
  return {
    url,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** @param listen `127.0.0.1:8080` @param upstream the same of the app */
export type Site = (listen: string, upstream: string) => string;

const MINIMAL: Record<ProxyName, Site> = {
  nginx: (listen, upstream) => `server { listen ${listen}; location / { proxy_pass http://${upstream}; } }`,
  haproxy: (listen, upstream) => `listen site\n  bind ${listen}\n  server app ${upstream}`,
  caddy: (listen, upstream) => `http://${listen} {\n  reverse_proxy ${upstream}\n}`,
};

/** The rest of a configuration, which makes the program run as a child process of a test. */
const AROUND: Record<ProxyName, (site: string, home: string) => string> = {
  nginx: (site, home) => `
daemon off;
master_process off;
pid ${home}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${home}/${kind};`).join("\n  ")}
  ${site}
}
`,
  haproxy: (site) => `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
${site}
`,
  caddy: (site, home) => `
{
  admin off
  storage file_system ${home}
}
${site}
`,
};

const ARGUMENTS: Record<ProxyName, (file: string, home: string) => string[]> = {
  // Before it reads its configuration, nginx would write to the system's log.
  nginx: (file, home) => ["-c", file, "-p", home, "-e", "stderr"],
  haproxy: (file) => ["-f", file, "-db"],
  caddy: (file) => ["run", "--adapter", "caddyfile", "--config", file],
};

async function untilForwards(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}`);
    const status = await fetch(`${url}/health`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error("It did not answer within 10 s");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
