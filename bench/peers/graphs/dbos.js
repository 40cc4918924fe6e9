/** A workflow of steps, each stored before the next one starts. DBOS__VMID identifies the process. */
import { DBOS } from "@dbos-inc/dbos-sdk";

const chain = DBOS.registerWorkflow(
  async (n) => {
    const first = await DBOS.runStep(async () => n + 1, { name: "first" });
    const second = await DBOS.runStep(async () => first + 1, { name: "second" });
    return DBOS.runStep(async () => second + 1, { name: "third" });
  },
  { name: "chain" },
);

const fanOut = DBOS.registerWorkflow(
  async (n, items) => {
    const numbers = await DBOS.runStep(async () => Array.from({ length: items }, (_, at) => n + at), { name: "list" });
    const all = await Promise.all(
      numbers.map((item, at) => DBOS.runStep(async () => item + 1, { name: `item-${at}` })),
    );
    return DBOS.runStep(async () => all.reduce((total, item) => total + item, 0), { name: "sum" });
  },
  { name: "fan-out" },
);

export async function open({ postgres }) {
  DBOS.setConfig({ name: "svc-bench", systemDatabaseUrl: postgres, logLevel: "error", runAdminServer: false });
  await DBOS.launch();
  return {
    chain: async (n) => (await DBOS.startWorkflow(chain)(n)).getResult(),
    fanOut: async (n, items) => (await DBOS.startWorkflow(fanOut)(n, items)).getResult(),
    close: () => DBOS.shutdown(),
  };
}
