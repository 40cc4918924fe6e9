/** The effective settings of the process, and the preferences for the screens. Secrets appear only as set or not set. */
import type { Entry } from "../../index.ts";
import { PATHS } from "../../internal.ts";
import type { Setting } from "../../ops.ts";
import type { OpsContext, Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { commandsOf } from "../views/cli-commands.ts";
import { momentText } from "../views/format.ts";
import { CommandsPanel, StepForm } from "./parts.tsx";
import { Heads } from "./table-head.tsx";

export function settingsScreen(screens: Screens): Entry[] {
  return [
    screen<Setting[]>(screens, "/settings", {
      title: "Settings",
      section: "Settings",
      load: ({ app }) => Promise.resolve(app.operations.settings()),
      view: (settings, opsContext) => <Settings settings={settings} opsContext={opsContext} />,
    }),
  ];
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  [
    "g o, g r, g q, g s, g w, g k, g n, g a, g e",
    "go to overview, runs, queues, schedules, webhooks, workers, requests, audit trail, settings",
  ],
  ["Ctrl K, Cmd K", "open the command palette: go to a screen, a list, or a run by its ID"],
  ["j, k", "next and previous row; Enter opens it"],
  ["/", "focus the filter"],
  ["n", "next page of a list"],
  ["p, c, t", "run: focus pause or resume, cancel, retry; Enter confirms"],
  ["r", "run: open the rerun form; delivery: focus resend; Enter confirms"],
  [".", "run: show raw JSON"],
  ["f", "graph picture: toggle following running nodes"],
  ["[, ]", "run: previous and next failed node"],
  ["↓, ↑", "input or output: move between entries; Tab reaches the buttons that copy path and value"],
  ["+, -, <, >", "timeline: zoom in, zoom out, earlier, later; Esc resets the zoom"],
  ["?", "show this list"],
  ["Esc", "leave a field"],
];

const SOURCES: Record<Setting["source"], string> = {
  start: "start options",
  environment: "environment",
  app: "app code",
  default: "default",
};

function Settings({ settings, opsContext }: { settings: Setting[]; opsContext: OpsContext }) {
  return (
    <>
      <div class="title">
        <h1>Settings</h1>
        <p class="quiet">effective values in this process</p>
      </div>
      <div class="scroll">
        <table>
          <Heads columns={["Variable", "Value", "Source"]} />
          <tbody>
            {settings.map((setting) => (
              <tr key={setting.name}>
                <th scope="row" data-label="Variable">
                  <code>{setting.name}</code>
                </th>
                <td data-label="Value">
                  <SettingValue setting={setting} />
                </td>
                <td data-label="Source" class="quiet">
                  {SOURCES[setting.source]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <section aria-labelledby="density">
        <h2 id="density">Density</h2>
        <StepForm opsContext={opsContext} action="/density" class="buttons">
          <button
            type="submit"
            class="button"
            name="density"
            value="comfortable"
            aria-pressed={opsContext.isCompact ? "false" : "true"}
          >
            Comfortable
          </button>
          <button
            type="submit"
            class="button"
            name="density"
            value="compact"
            aria-pressed={opsContext.isCompact ? "true" : "false"}
          >
            Compact
          </button>
        </StepForm>
      </section>
      <section aria-labelledby="times">
        <h2 id="times">Times</h2>
        <StepForm opsContext={opsContext} action="/zone" class="steps">
          <label>
            Time zone
            <input name="zone" value={opsContext.zone} autocomplete="off" spellcheck={false} data-zone="" />
          </label>
          <button type="submit" class="button" name="local" value="on">
            Use this zone
          </button>
          <button type="submit" class="button" aria-pressed={opsContext.zone === "UTC" ? "true" : "false"}>
            UTC
          </button>
        </StepForm>
        <p class="quiet">{`Now: ${momentText(opsContext.nowMs, opsContext.zone)}`}</p>
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keyboard</h2>
        <label class="check">
          <input type="checkbox" id="ops-shortcuts" checked /> Enable shortcuts in this browser
        </label>
        <div class="scroll">
          <table>
            <tbody>
              {KEYS.map(([keys, what]) => (
                <tr key={keys}>
                  <th scope="row" data-label="Keys">
                    <kbd>{keys}</kbd>
                  </th>
                  <td data-label="Action">{what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <CommandsPanel commands={commandsOf(opsContext.origin, "GET", PATHS.status)} />
    </>
  );
}

function SettingValue({ setting }: { setting: Setting }) {
  const { value: text, is_secret: isSecret, source } = setting;
  if (isSecret) return <span class="tag">{source === "environment" ? "set" : "not set"}</span>;
  return text === null ? <span class="quiet">–</span> : <code>{text}</code>;
}
