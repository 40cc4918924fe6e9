import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../compile.ts";

const HEAD = `import { Await, resource, signal } from "svckit"; import { load } from "../build/action-modules.ts";`;
const clientOf = (body: string): string | undefined =>
  compile(`${HEAD} export function Page(props: { id: number }) { ${body} }`, "page.tsx").client?.code;

describe("a resource", () => {
  it("whose source may change sends its source and fetcher to the browser", () => {
    const client = clientOf(
      "const id = signal(1); const user = resource(() => id.value, (id) => load(id)); return <main><Await value={user}>{(name) => <p>{name}</p>}</Await></main>;",
    );
    assert.match(client ?? "", /R as (\S+) \} from "\/_svc\/resource\.js"/);
    assert.match(client ?? "", /R\(\$\[0\], \(\) => \$\[1\]\.value, \(id\) => load\(id\)\);/);
  });

  it("with a constant source that only an Await uses needs no browser code", () => {
    const body = "const user = resource(() => props.id, (id) => load(id));";
    assert.equal(
      clientOf(`${body} return <main><Await value={user}>{(name) => <p>{name}</p>}</Await></main>;`),
      undefined,
    );
    assert.match(clientOf(`${body} return <p>{user.value}</p>;`) ?? "", /resource\.js/);
  });

  it("whose source is a prop is fetched again only by instances whose prop changes", () => {
    const item = "function Item(props) { const found = resource(() => props.id, load); return <p>";
    const page = (content: string, call: string) => {
      const text = `${HEAD} ${item}${content}</p>; } export function A() { const id = signal(1); return <p>${call}</p>; }`;
      return compile(text, "page.tsx");
    };
    const shown = "<Await value={found}>{({ name }) => <b>{name}</b>}</Await>";
    const changing = page(shown, "<Item id={id.value} />");
    assert.match(
      changing.live?.output.code ?? "",
      /\$R\(\$\[0\], \(\) => \$\[1\], .*\);\nreturn \$D\(\(\) => \(\(\(\{ name \}\) => name\)/,
    );
    assert.doesNotMatch(changing.client?.code ?? "", /resource\.js/);
    const byName = "<Await value={found}>{show}</Await>";
    assert.throws(() => page(byName, "<Item id={id.value} />"), { code: "SVC121", message: /pass the signal itself/ });
    page(byName, "<Item id={id} />");
    page(byName, "{id.value > 1 && <Item id={id.value} />}");
  });

  it("is captured by the children of its Await, which update with it or with parts of it", () => {
    const body = "const id = signal(1); const user = resource(() => id.value, (id) => load(id));";
    const shown = (children: string): string =>
      clientOf(`${body} return <main><Await value={user}>{${children}}</Await></main>;`) ?? "";
    assert.match(shown("(found) => <p>{found.name}</p>"), /\$\[0\]\.value\.name/);
    assert.match(shown("({ name: { first } }) => <p>{first}</p>"), /\$\[0\]\.value\.name\.first/);
  });

  it("that is a prop updates all its readers, if the file mentions its type", () => {
    const of = (imports: string): string | undefined =>
      compile(
        `${imports} export function Busy(props) { const { found } = props; return <p>{props.other.pending} {found.error}</p>; }`,
        "busy.tsx",
      ).client?.code;
    assert.match(of('import type { Resource } from "svckit";') ?? "", /\$\[0\]\.pending.*\$\[1\]\.error/);
    assert.equal(of('import type { Resource } from "elsewhere";'), undefined);
  });

  it("at module level is rejected, because all requests would share it", () => {
    const text = `${HEAD} const user = resource(() => 1, load); export function Page() { return <p>{user.value}</p>; }`;
    assert.throws(() => compile(text, "page.tsx"), { code: "SVC105" });
  });

  it("needs a name, a source and a fetcher", () => {
    for (const made of [
      "let user = resource(() => 1, load)",
      "const { value } = resource(() => 1, load)",
      "const user = resource(load)",
    ]) {
      assert.throws(() => clientOf(`${made}; return <p></p>;`), { code: "SVC103" });
    }
  });
});

describe("an Await", () => {
  it("follows its resource in texts and conditions that no element contains", () => {
    const body = "const id = signal(1); const user = resource(() => id.value, (id) => load(id));";
    const of = (children: string): string =>
      clientOf(`${body} return <main><Await value={user}>{${children}}</Await></main>;`) ?? "";
    assert.match(of("(found) => found.name ? <p>{found.name}</p> : <p>nobody</p>"), /\$\[0\]\.value\.name\) \?/);
    assert.match(of("(found) => { return found.name; }"), /\$\[0\]\.value\.name/);
    assert.match(of("(found) => <p>{found.name ? <b>{found.name}</b> : <i>nobody</i>}</p>"), /\$Branch\(/);
  });

  it("inside SVG or MathML is rejected, because late content is parsed as HTML", () => {
    const of = (jsx: string): string | undefined => clientOf(`return ${jsx};`);
    const late = "<Await value={load()}>{() => <g />}</Await>";
    assert.throws(() => of(`<svg>${late}</svg>`), { code: "SVC109", message: /inside SVG or MathML/ });
    assert.throws(() => of(`<p><math><mrow>${late}</mrow></math></p>`), { code: "SVC109" });
    assert.doesNotThrow(() => of(`<svg><foreignObject><p>${late}</p></foreignObject></svg>`));
  });
});
