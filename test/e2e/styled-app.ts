/** An app whose pages import stylesheets and other files, in a folder of its own that a test may edit. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "./demo-server.ts";

/** A PNG file. Bytes behind its end make files differ. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const FILES: Readonly<Record<string, string>> = {
  "app.ts": `import { createFullStackApp } from "svckit/fullstack";
import "./base.css";
import trustedTypes from "./trusted-types.json";
export default createFullStackApp({ navigation: "enhanced", security: { trustedTypes: trustedTypes.isOn } });`,
  "trusted-types.json": '{"isOn":false}',
  "base.css": "body { color: rgb(1, 1, 1); }",
  "pages/_layout.tsx": `import { Slot } from "svckit";
import "./layout.css";
export default function Layout() { return <main><nav><a href="/">Home</a> <a href="/shop">Shop</a> <a href="/pictures">Pictures</a></nav><Slot /></main>; }`,
  "pages/layout.css": "main { padding: 7px; } h1 { color: rgb(2, 2, 2); }",
  "pages/index.tsx": `import { signal } from "svckit";
export const head = { title: "Home" };
export default function Home() {
  const count = signal(0);
  return <section><h1>Home</h1><button id="count" onClick={() => { count.value += 1; }}>{count.value}</button></section>;
}`,
  "pages/shop.tsx": `import { signal } from "svckit";
import "./shop.css";
import { Notice } from "../parts/notice.tsx";
import { color } from "../parts/color.ts";
import names from "./shop.module.css";
export const head = { title: "Shop" };
export default function Shop(props) {
  const look = signal("");
  return (
    <section>
      <h1>Shop</h1>
      <p id="price" class={names.price}>9</p>
      <button id="open">Open</button>
      <button id="mark" onClick={() => { look.value = names.marked + color; }}>Mark</button>
      <b id="look" class={look.value}>look</b>
      {props.params.full ? <Notice /> : ""}
    </section>
  );
}`,
  "pages/shop.css": "@import './imported.css'; h1 { color: rgb(3, 3, 3); } section { display: grid; }",
  "pages/imported.css": "#open { color: rgb(4, 4, 4); }",
  "pages/shop.module.css": ".price { color: rgb(5, 5, 5); } .marked { color: rgb(6, 6, 6); }",
  "parts/notice.tsx": `import "./notice.css";
export function Notice() { return <p class="notice">Notice</p>; }`,
  "parts/notice.css": ".notice { color: rgb(7, 7, 7); }",
  "parts/color.ts": `import "./color.css";
export const color = " tinted";`,
  "parts/color.css": ".tinted { background: rgb(8, 8, 8); }",
  "pages/pictures.tsx": `import { signal } from "svckit";
import dot from "./dot.png";
import mark from "./mark.svg?url";
import note from "./note.txt?raw";
import inlined from "./dot.png?inline";
import { asset } from "svckit/assets";
import "./pictures.css";
export const head = { title: "Pictures" };
export default function Pictures() {
  const where = signal("");
  return (
    <section>
      <h1>Pictures</h1>
      <img id="dot" src={dot} alt="" /><img id="mark" src={mark} alt="" /><img id="inlined" src={inlined} alt="" />
      <img id="badge" src={asset("/icons/badge.svg")} alt="" /><img id="beside" src={new URL("./beside.png", import.meta.url).href} alt="" />
      <pre>{note}</pre>
      <button id="where" onClick={() => { where.value = [dot, mark, asset("/icons/badge.svg"), new URL("./beside.png", import.meta.url).pathname].join(" "); }}>Where</button>
      <output>{where.value}</output>
    </section>
  );
}`,
  "pages/pictures.css": "section { background: url('./dot.png'); }",
  "pages/mark.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="2"/></svg>',
  "pages/note.txt": "A note",
  "public/icons/badge.svg":
    '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"><rect width="3" height="3"/></svg>',
};

export interface StyledApp {
  readonly folder: string;
  write(file: string, text: string): void;
  read(file: string): string;
  /** Runs `svc build`. */
  build(...options: string[]): Promise<void>;
  remove(): void;
}

/** @param more files that replace or extend those of the app */
export function styledApp(name: string, more: Readonly<Record<string, string>> = {}): StyledApp {
  // Inside the repository, so that "svckit" resolves to this package.
  const folder = join(root, "out", `styled-${name}-${process.pid}`);
  const write = (file: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  for (const [file, text] of Object.entries({ ...FILES, ...more })) write(file, text);
  for (const file of ["pages/dot.png", "pages/beside.png"])
    write(file, Buffer.concat([Buffer.from(PIXEL, "base64"), Buffer.from(file)]));
  return {
    folder,
    write,
    read: (file) => readFileSync(join(folder, file), "utf8"),
    async build(...options) {
      const env = { ...process.env, SVC_SITE_URL: "https://example.com", NO_COLOR: "1" };
      await promisify(execFile)(process.execPath, [join(root, "bin/svc.js"), "build", ...options], {
        cwd: folder,
        env,
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
