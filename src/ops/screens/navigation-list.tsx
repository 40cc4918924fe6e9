/** All navigation targets as a searchable list: the source of the command palette, and its replacement without script. */
import type { Entry } from "../../index.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { Screens } from "../ops-context.ts";
import { screen } from "../screen.tsx";
import { navigationTargetsFor, navigationTargetsOf, type NavigationTarget } from "../views/navigation-targets.ts";
import { Empty } from "./parts.tsx";

interface GoData {
  text: string;
  places: NavigationTarget[];
}

const MAX_LENGTH = 200;

export function goScreen(screens: Screens): Entry[] {
  return [
    screen<GoData>(screens, "/go", {
      title: "Go to",
      section: "",
      load: ({ app, ctx }) => {
        const text = (ctx.query.get("q") ?? "").slice(0, MAX_LENGTH);
        return Promise.resolve({
          text,
          places: navigationTargetsFor(text, navigationTargetsOf([...app.definitions.keys()].sort())),
        });
      },
      view: (data) => <Go data={data} />,
    }),
  ];
}

function Go({ data: { text, places } }: { data: GoData }) {
  return (
    <>
      <h1>Go to</h1>
      <form method="get" action={`${OPS_PATH}/go`} class="steps" role="search" aria-label="Search">
        <label>
          Screen, worker or run ID
          <input type="search" name="q" value={text} maxlength={MAX_LENGTH} autocomplete="off" data-key="/" />
        </label>
        <button type="submit" class="button">
          Search
        </button>
      </form>
      {places.length === 0 ? (
        <Empty title="No matches">
          <p>
            <a href={`${OPS_PATH}/go`}>Show all</a>
          </p>
        </Empty>
      ) : (
        <ul class="places">
          {places.map(({ name, href }) => (
            <li key={href}>
              <a href={href} data-place data-row>
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
