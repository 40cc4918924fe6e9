/** Stories of the operator screens. */
import { opsSample, OPERATOR_KEY, orderInput, runTo } from "../contract/ops-app.ts";
import type { App } from "svckit";
import type { Act } from "./stage.ts";
import { open, until } from "./visitor.ts";

let app: App;
let done: string;

export const dashboard: Act = {
  name: "dashboard",
  start: async () => {
    app = opsSample({ env: { SVC_EXEC_API_KEY: OPERATOR_KEY }, more: { demo: true } });
    const started = await app.start({ host: "127.0.0.1", port: 0 });
    done = await runTo(app, "order", orderInput(3), "done");
    return { url: started.url, stop: () => started.close() };
  },
  stories: {
    "the list of runs follows a new run without a reload": async ({ visitor, url }) => {
      await open(visitor, `${url}/_svc/ops/runs`);
      await until(visitor, () => document.querySelector("#ops-live:not([hidden])") !== null);
      const { snapshot } = await app.engine.start("order", orderInput(5));
      await until(visitor, (id) => document.querySelector(`a[href*="${id}"]`) !== null, snapshot.graph_id);
    },
    "a link leads to a run and its graph": async ({ visitor, url }) => {
      await open(visitor, `${url}/_svc/ops/runs`);
      await visitor.click(`a[href*="${done}"]`);
      await until(visitor, (id) => location.pathname.endsWith(id) && document.querySelector("svg") !== null, done);
    },
    "the overview draws its plots": async ({ visitor, url }) => {
      await open(visitor, `${url}/_svc/ops`);
      await until(visitor, () => document.querySelector("svg") !== null && document.querySelector("h1") !== null);
    },
  },
};
