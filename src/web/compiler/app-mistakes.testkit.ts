/** Mistakes that only a build of an app or a rendered page shows, each with the change after each fix that its message names. Holds no test. */

export interface AppMistake {
  name: string;
  code: string;
  files: Record<string, string>;
  /** The files that each fix changes. */
  fixed: readonly Record<string, string>[];
}

/** The app whose view is in view.tsx. */
const APP = 'import "svckit"; import { A } from "./view.tsx"; export default A;';

/** It passes a prop that changes. */
const KEPT_VIEW =
  'import { signal } from "svckit"; import { Middle } from "./parts.ts"; export function A() { const user = signal("Ada"); return <div onClick={() => (user.value = "")}><Middle user={user.value} /></div>; }';

export const APP_MISTAKES: readonly AppMistake[] = [
  {
    name: "a handler that reaches a module of Node",
    code: "SVC104",
    files: {
      "app.tsx": APP,
      "view.tsx": 'import { size } from "./size.ts"; export const A = () => <p onClick={() => size()}>x</p>;',
      "size.ts": 'import { statSync } from "node:fs"; export const size = () => statSync("x").size;',
    },
    fixed: [
      {
        "view.tsx": 'import { size } from "./actions.ts"; export const A = () => <p onClick={() => size()}>x</p>;',
        "actions.ts":
          'import { statSync } from "node:fs"; import { action } from "svckit"; export const size = action(async () => statSync("x").size);',
      },
      { "size.ts": "export const size = () => 1;" },
    ],
  },
  {
    name: "a handler that uses a value of a module of actions",
    code: "SVC104",
    files: {
      "app.tsx": APP,
      "view.tsx": 'import { LIMIT } from "./actions.ts"; export const A = () => <p onClick={() => alert(LIMIT)}>x</p>;',
      "actions.ts":
        'import { action } from "svckit"; export const LIMIT = 2; export const save = action(async () => LIMIT);',
    },
    fixed: [
      {
        "view.tsx": 'import { LIMIT } from "./limit.ts"; export const A = () => <p onClick={() => alert(LIMIT)}>x</p>;',
        "limit.ts": "export const LIMIT = 2;",
      },
    ],
  },
  {
    name: "a function as a prop that the browser calls and that reads a variable of the server",
    code: "SVC101",
    files: {
      "app.tsx": APP,
      "view.tsx":
        'import { B } from "./b.tsx"; export const A = () => { let n = 1; n++; return <B save={() => n} />; };',
      "b.tsx": "export const B = (props) => <p onClick={() => props.save()}>x</p>;",
    },
    fixed: [
      {
        "view.tsx":
          'import { signal } from "svckit"; import { B } from "./b.tsx"; export const A = () => { const n = signal(1); n.value++; return <B save={() => n.value} />; };',
      },
      {
        "view.tsx":
          'import { B } from "./b.tsx"; export const A = () => { const n = 1; return <B save={() => n} />; };',
      },
      { "b.tsx": "export const B = (props) => <p>{props.save()}</p>;" },
    ],
  },
  {
    name: "a function as a prop that a component passes on to a handler and that reaches a module of Node",
    code: "SVC104",
    files: {
      "app.tsx": APP,
      "view.tsx":
        'import { statSync } from "node:fs"; import { B } from "./b.tsx"; export const A = () => <B load={() => statSync("x").size} />;',
      "b.tsx":
        "const C = (props) => <p onClick={() => props.run()}>x</p>; export const B = (props) => <C run={props.load} />;",
    },
    fixed: [
      {
        "view.tsx":
          'import { size } from "./actions.ts"; import { B } from "./b.tsx"; export const A = () => <B load={() => size()} />;',
        "actions.ts":
          'import { statSync } from "node:fs"; import { action } from "svckit"; export const size = action(async () => statSync("x").size);',
      },
      { "b.tsx": "export const B = (props) => <p>{props.load()}</p>;" },
    ],
  },
  {
    name: "a signal that a handler imports",
    code: "SVC105",
    files: {
      "app.tsx": APP,
      "view.tsx":
        'import { count } from "./count.ts"; export const A = () => <p onClick={() => count.value++}>{count.value}</p>;',
      "count.ts": 'import { signal } from "svckit"; export const count = signal(0);',
    },
    fixed: [
      {
        "view.tsx":
          'import { signal } from "svckit"; export const A = () => { const count = signal(0); return <p onClick={() => count.value++}>{count.value}</p>; };',
      },
      {
        "view.tsx":
          'import { useCount } from "./count.ts"; export const A = () => { const count = useCount(); return <p onClick={() => count.value++}>{count.value}</p>; };',
        "count.ts": 'import { signal } from "svckit"; export const useCount = () => signal(0);',
      },
    ],
  },
  {
    name: "a prop that changes and decides about state behind a return, in another file",
    code: "SVC121",
    files: {
      "app.tsx": APP,
      "view.tsx": KEPT_VIEW,
      "parts.ts": 'export * from "./middle.tsx";',
      "middle.tsx": 'import { Part } from "./part.tsx"; export const Middle = (props) => <Part {...props} />;',
      "part.tsx":
        'import { signal } from "svckit"; export function Part(props) { if (!props.user) return <i>Guest</i>; const n = signal(props.user.length); return <p onClick={() => n.value++}>{n.value}</p>; }',
    },
    fixed: [
      {
        "part.tsx":
          'import { signal } from "svckit"; export function Part(props) { const n = signal(1); if (!props.user) return <i>Guest</i>; return <p onClick={() => n.value++}>{n.value}</p>; }',
      },
      {
        "part.tsx":
          'import { signal } from "svckit"; function Counter() { const n = signal(1); return <p onClick={() => n.value++}>{n.value}</p>; } export function Part(props) { if (!props.user) return <i>Guest</i>; return <Counter />; }',
      },
      // It passes nothing that changes.
      {
        "middle.tsx":
          'import { Part } from "./part.tsx"; export const Middle = (props) => <Part {...props} user="Ada" />;',
      },
    ],
  },
  {
    name: "an action without a name",
    code: "SVC117",
    files: {
      "app.tsx": APP,
      "view.tsx": 'import save from "./save.ts"; export const A = () => <p onClick={() => save()}>x</p>;',
      "save.ts": 'import { action } from "svckit"; export default action(async () => 1);',
    },
    fixed: [
      {
        "view.tsx": 'import { save } from "./save.ts"; export const A = () => <p onClick={() => save()}>x</p>;',
        "save.ts": 'import { action } from "svckit"; export const save = action(async () => 1);',
      },
      { "save.ts": 'import { action } from "svckit"; const save = action(async () => 1); export default save;' },
    ],
  },
  {
    name: "two actions of one name",
    code: "SVC117",
    files: {
      "app.tsx": APP,
      "view.tsx":
        'import { save } from "./a.ts"; import { save as other } from "./b.ts"; export const A = () => <p onClick={() => { save(); other(); }}>x</p>;',
      "a.ts": 'import { action } from "svckit"; export const save = action(async () => 1);',
      "b.ts": 'import { action } from "svckit"; export const save = action(async () => 2);',
    },
    fixed: [
      {
        "view.tsx":
          'import { save } from "./a.ts"; import { other } from "./b.ts"; export const A = () => <p onClick={() => { save(); other(); }}>x</p>;',
        "b.ts": 'import { action } from "svckit"; export const other = action(async () => 2);',
      },
    ],
  },
  {
    name: "no import of the framework",
    code: "SVC122",
    files: { "app.tsx": "export const A = () => <p>x</p>; export default A;" },
    fixed: [
      { "app.tsx": 'import { page } from "svckit"; export const A = () => <p>x</p>; export default page("/", A);' },
    ],
  },
  {
    name: "a hook of React in a file without JSX",
    code: "SVC123",
    files: {
      "app.tsx": APP,
      "view.tsx":
        'import { useCount } from "./count.ts"; export const A = () => { const count = useCount(); return <p onClick={() => count.value++}>{count.value}</p>; };',
      "count.ts": 'import { useState } from "react"; export const useCount = () => useState(0);',
    },
    fixed: [{ "count.ts": 'import { signal } from "svckit"; export const useCount = () => signal(0);' }],
  },
  {
    name: "a public file that does not exist",
    code: "SVC127",
    files: {
      "app.tsx": 'import { asset } from "svckit/assets"; export default () => <img src={asset("/a.svg")} />;',
    },
    fixed: [
      { "public/a.svg": "<svg/>" },
      {
        "app.tsx": 'import { asset } from "svckit/assets"; export default () => <img src={asset("/b.svg")} />;',
        "public/b.svg": "<svg/>",
      },
    ],
  },
  {
    name: "a public file by a path without a slash",
    code: "SVC127",
    files: {
      "app.tsx": 'import { asset } from "svckit/assets"; export default () => <img src={asset("a.svg")} />;',
      "public/a.svg": "<svg/>",
    },
    fixed: [
      { "app.tsx": 'import { asset } from "svckit/assets"; export default () => <img src={asset("/a.svg")} />;' },
    ],
  },
  {
    name: "a public file by a computed path",
    code: "SVC127",
    files: {
      "app.tsx":
        'import { asset } from "svckit/assets"; export default ({ name }) => <img src={asset(`/${name}.svg`)} />;',
      "public/a.svg": "<svg/>",
      "public/b.svg": "<svg/>",
    },
    fixed: [
      {
        "app.tsx":
          'import { asset } from "svckit/assets"; export default ({ name }) => <img src={name === "a" ? asset("/a.svg") : asset("/b.svg")} />;',
      },
    ],
  },
  {
    name: "an image that is none",
    code: "SVC128",
    files: {
      "app.tsx": 'import file from "./notes.txt?image"; export default () => <img src={file.src} />; import "svckit";',
      "notes.txt": "text",
    },
    fixed: [
      { "app.tsx": 'import file from "./notes.txt?url"; export default () => <a href={file}>x</a>; import "svckit";' },
    ],
  },
];

export interface RenderMistake {
  name: string;
  code: string;
  /** A program whose component `A` is rendered. */
  text: string;
  /** The program after each fix. */
  fixed: readonly string[];
}

export const RENDER_MISTAKES: readonly RenderMistake[] = [
  {
    name: "a class instance of a prop in a handler",
    code: "SVC201",
    text: 'const B = ({ when }) => <p onClick={() => alert(when)}>x</p>; class Day { text = "a"; } export const A = () => <B when={new Day()} />;',
    fixed: [
      'const B = ({ when }) => <p onClick={() => alert(when)}>x</p>; class Day { text = "a"; } export const A = () => <B when={new Day().text} />;',
      'const B = () => <p onClick={() => { class Day { text = "a"; } alert(new Day()); }}>x</p>; export const A = () => <B />;',
      'const B = () => { onLoad(() => { class Day { text = "a"; } alert(new Day()); }); return <p>x</p>; }; export const A = () => <B />;',
    ],
  },
  {
    name: "a handler of an object that a call made in the module, and that is spread as a prop",
    code: "SVC201",
    text: "const make = () => ({ onClick: () => 1 }); const press = make(); const B = (props) => <button {...props.press}>x</button>; export const A = () => <B press={press} />;",
    fixed: [
      "const B = (props) => <button {...props.press}>x</button>; export const A = () => <B press={{ onClick: () => 1 }} />;",
      "const press = { onClick: () => 1 }; const B = (props) => <button {...props.press}>x</button>; export const A = () => <B press={press} />;",
      "const press = { onClick: () => 1 }; export const A = () => <button onClick={press.onClick}>x</button>;",
      "const usePress = () => { const n = signal(1); return { onClick: () => n.value++ }; }; export const A = () => { const press = usePress(); return <button {...press}>x</button>; };",
    ],
  },
  {
    name: "two items with one key",
    code: "SVC202",
    text: "export function A() { const rows = signal([{ id: 1 }, { id: 1 }]); return <ul>{rows.value.map((row) => <li key={row.id}>x</li>)}</ul>; }",
    fixed: [
      "export function A() { const rows = signal([{ id: 1 }, { id: 2 }]); return <ul>{rows.value.map((row) => <li key={row.id}>x</li>)}</ul>; }",
      "export function A() { const rows = signal([{ id: 1 }, { id: 1 }]); return <ul>{rows.value.map((row) => <li>x</li>)}</ul>; }",
    ],
  },
  {
    name: "a div of one component in a p of another",
    code: "SVC203",
    text: "const B = () => <div>x</div>; export const A = () => <p><B /></p>;",
    fixed: ["const B = () => <div>x</div>; export const A = () => <div><B /></div>;"],
  },
  {
    name: "the store in a hook's result that a function gets as a whole",
    code: "SVC204",
    text: "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const show = (form) => form.data.names.join(); const B = (props) => <p>{show(props.form)}</p>; export function A() { const form = useForm(); return <B form={form} />; }",
    fixed: [
      "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const show = (data) => data.names.join(); const B = (props) => <p>{show(props.form.data)}</p>; export function A() { const form = useForm(); return <B form={form} />; }",
      "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const show = (form) => form.data.names.join(); const B = (props) => <p>{untrack(() => show(props.form))}</p>; export function A() { const form = useForm(); return <B form={form} />; }",
    ],
  },
  {
    name: "the store in a hook's result that is spread into a component",
    code: "SVC204",
    text: "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const B = (props) => <p>{props.data.names.join()}</p>; export function A() { const form = useForm(); return <B {...form} />; }",
    fixed: [
      "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const B = (props) => <p>{props.data.names.join()}</p>; export function A() { const form = useForm(); return <B data={form.data} />; }",
      "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const B = (props) => <p>{props.form.data.names.join()}</p>; export function A() { const form = useForm(); return <B form={form} />; }",
      "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const B = (props) => { const shown = computed(() => props.data.names.join()); return <p>{shown.value}</p>; }; export function A() { const form = useForm(); return <B {...form} />; }",
      "const useForm = () => { const data = store({ names: [1] }); return { data, title: 'x' }; }; const B = (props) => <p>{untrack(() => props.data.names.join())}</p>; export function A() { const form = useForm(); return <B {...form} />; }",
    ],
  },
  {
    name: "an expression that reads a signal in a method",
    code: "SVC205",
    text: "class Model { n = signal(1); text() { return String(this.n.value); } } export function A() { const model = new Model(); return <p>{model.text()}</p>; }",
    fixed: [
      "class Model { n = signal(1); } export function A() { const { n } = new Model(); const text = computed(() => String(n.value)); return <p>{text.value}</p>; }",
      "class Model { n = signal(1); text() { return String(this.n.value); } } export function A() { const model = new Model(); return <p>{untrack(() => model.text())}</p>; }",
    ],
  },
];
