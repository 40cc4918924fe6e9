/** docs/guide/vite-projects.md, followed in the folder of a Vite project. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./demo-server.ts";
import { readGuidePage } from "./guide-page.ts";

const PAGE = join(root, "docs/guide/vite-projects.md");
/** Blocks of JSON, which `readGuidePage` leaves out. */
const JSON_FILE = /^```json ([^\n]+)\n([^]*?)^```$/gm;

/** The framework of the project, as its `vite.config.ts` names it. */
export interface Framework {
  /** Import of its plugin. Default: none. */
  readonly plugin?: string;
  /** The address of the svc app under `svc dev`. Default: the guide's. */
  readonly svcUrl?: string;
}

/** Writes the files of the page, and adds its commands to the project's own `package.json`. */
export function followViteGuide(project: string, { plugin, svcUrl }: Framework = {}): void {
  const { files } = readGuidePage(PAGE);
  const json = [...readFileSync(PAGE, "utf8").matchAll(JSON_FILE)].map(([, name = "", text = ""]) => [name, text]);
  for (const [name = "", text = ""] of [...files, ...json]) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), name === "package.json" ? withScripts(project, text) : text);
  }
  const config = files.get("vite.config.ts") ?? "";
  const own =
    plugin === undefined
      ? config
      : `import plugin from "${plugin}";\n${config.replace("plugins: []", "plugins: [plugin()]")}`;
  writeFileSync(
    join(project, "vite.config.ts"),
    svcUrl === undefined ? own : own.replace("http://127.0.0.1:3000", svcUrl),
  );
}

function withScripts(project: string, text: string): string {
  const own = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { scripts?: object };
  const { scripts } = JSON.parse(text) as { scripts: object };
  return JSON.stringify({ ...own, scripts: { ...own.scripts, ...scripts } });
}
