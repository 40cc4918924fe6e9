/** `svc doctor`: prints the unsafe settings that app/lifecycle/unsafe-settings.ts finds. */
import { unsafeSettings } from "../../app/lifecycle/unsafe-settings.ts";
import type { Environment } from "../command.ts";
import { columns, type Output } from "../output.ts";

export interface DoctorTask {
  env: Environment;
  json: boolean;
}

/** @returns 1 if a setting is unsafe @throws SvcError `SVC_CONFIG` for invalid settings */
export async function doctor({ env, json }: DoctorTask, output: Output): Promise<number> {
  const found = unsafeSettings(env);
  const unsafe = found.filter(({ level }) => level === "unsafe").length;
  if (json) output.line(JSON.stringify({ unsafe, settings: found }));
  else {
    const rows = found.map(({ level, name, text }) => [
      level === "unsafe" ? output.style("red", level) : output.style("dim", level),
      output.style("bold", name),
      text,
    ]);
    for (const line of columns(rows)) output.line(line);
    if (unsafe === 0) output.line(output.style("green", "No unsafe settings."));
  }
  return unsafe === 0 ? 0 : 1;
}
