/** A flow of jobs: each waits for the one before it, whose value it reads. Of several processes each has a queue. */
import { FlowProducer, QueueEvents, Worker } from "bullmq";

export async function open({ redis }, member) {
  const connection = { path: redis, maxRetriesPerRequest: null };
  const queueName = `graphs${member}`;
  const worker = new Worker(
    queueName,
    async (job) => {
      const values = Object.values(await job.getChildrenValues());
      if (job.name === "sum") return values.reduce((total, n) => total + n, 0);
      return (values[0] ?? job.data) + 1;
    },
    { connection, concurrency: 100 },
  );
  const flows = new FlowProducer({ connection });
  const events = new QueueEvents(queueName, { connection });
  await events.waitUntilReady();
  const end = async (flow) => (await flows.add(flow)).job.waitUntilFinished(events);
  const one = (name, data, children = []) => ({ name, queueName, data, children });
  return {
    chain: (n) => end(one("third", n, [one("second", n, [one("first", n)])])),
    fanOut: (n, items) =>
      end(
        one(
          "sum",
          n,
          Array.from({ length: items }, (_, at) => one("item", n + at)),
        ),
      ),
    async close() {
      await worker.close();
      await events.close();
      await flows.close();
    },
  };
}
