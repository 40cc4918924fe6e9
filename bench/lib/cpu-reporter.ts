/** Preloaded (--import) into every server of bench:http: reports processor time and memory over IPC. */
export interface Usage {
  /** Microseconds of all threads, user and system. */
  cpuUs: number;
  rssBytes: number;
}

process.on("message", (message) => {
  if (message !== "usage") return;
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
// The IPC channel must not keep the process alive.
process.channel?.unref();
