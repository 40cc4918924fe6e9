/** Preloaded (--import) into every server of bench:http: tells its processor time and memory when asked over IPC. */
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
// Being asked is no reason to live on.
process.channel?.unref();
