/** The settings in force, and those of the screens themselves. Secrets are told as set or not. */
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
  ["Ctrl K, Cmd K", "go to a screen, a list, or a run by its id"],
  ["j, k", "next and previous row; Enter opens it"],
  ["/", "to the filter"],
  ["n", "next page of a list"],
  ["p, c, t", "of a run: to pause or resume, cancel, retry; Enter does it"],
  ["r", "of a run: to what runs it again; of a delivery: to what sends it again, Enter does it"],
  [".", "of a run: as raw text"],
  ["f", "of a run's picture: follow what runs, or no longer"],
  ["[, ]", "of a run: the failed node before, and after"],
  ["↓, ↑", "of an input or output: from entry to entry; Tab leads to what copies its path and its value"],
  ["+, -, <, >", "of a timeline: closer, wider, earlier, later; Esc: all of it"],
  ["?", "to this list"],
  ["Esc", "out of a field"],
];

const SOURCES: Record<Setting["source"], string> = {
  start: "the start of this process",
  environment: "the environment",
  app: "the app",
  default: "default",
};

function Settings({ settings, opsContext }: { settings: Setting[]; opsContext: OpsContext }) {
  return (
    <>
      <div class="title">
        <h1>Settings</h1>
        <p class="quiet">in force in this process</p>
      </div>
      <div class="scroll">
        <table>
          <Heads columns={["Variable", "In force", "From"]} />
          <tbody>
            {settings.map((setting) => (
              <tr key={setting.name}>
                <th scope="row" data-label="Variable">
                  <code>{setting.name}</code>
                </th>
                <td data-label="In force">
                  <InForce setting={setting} />
                </td>
                <td data-label="From" class="quiet">
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
            In this zone
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
          <input type="checkbox" id="ops-shortcuts" checked /> Shortcuts, in this browser
        </label>
        <div class="scroll">
          <table>
            <tbody>
              {KEYS.map(([keys, what]) => (
                <tr key={keys}>
                  <th scope="row" data-label="Keys">
                    <kbd>{keys}</kbd>
                  </th>
                  <td data-label="Do">{what}</td>
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

function InForce({ setting }: { setting: Setting }) {
  const { value: text, is_secret: isSecret, source } = setting;
  if (isSecret) return <span class="tag">{source === "environment" ? "set" : "not set"}</span>;
  return text === null ? <span class="quiet">–</span> : <code>{text}</code>;
}
