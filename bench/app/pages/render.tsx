/** The pages of bench:ssr: many small elements with computed styles, and a table of text that needs escaping. */
import { For, signal, type Signal } from "svckit";
import type { JSX } from "svckit/jsx-runtime";

export type Tile = { x: number; y: number };
export type User = {
  id: number;
  name: string;
  email: string;
  bio: string;
  title: string;
  active: boolean;
  visits: number;
};

function Spiral(props: { tiles: Tile[] }): JSX.Element {
  return (
    <div id="wrapper">
      {props.tiles.map(({ x, y }) => (
        <div class="tile" style={`left:${x.toFixed(2)}px;top:${y.toFixed(2)}px`} />
      ))}
    </div>
  );
}

function Row({ user }: { user: User }): JSX.Element {
  return (
    <tr class={user.active ? "on" : "off"} data-id={user.id}>
      <td>{user.id}</td>
      <td title={user.title}>{user.name}</td>
      <td>
        <a href={`mailto:${user.email}`}>{user.email}</a>
      </td>
      <td>{user.bio}</td>
      <td>{user.active ? "active" : "idle"}</td>
      <td>{user.visits}</td>
    </tr>
  );
}

function Head(): JSX.Element {
  return (
    <thead>
      <tr>
        <th>Id</th>
        <th>Name</th>
        <th>Email</th>
        <th>Bio</th>
        <th>State</th>
        <th>Visits</th>
      </tr>
    </thead>
  );
}

function Users(props: { users: User[] }): JSX.Element {
  return (
    <table>
      <Head />
      <tbody>
        {props.users.map((user) => (
          <Row user={user} />
        ))}
      </tbody>
    </table>
  );
}

/** One handler for all tiles: the page resumes, and its tiles need nothing. */
function SpiralPage(props: { tiles: Tile[] }): JSX.Element {
  const last = signal("");
  return (
    <main onClick={(event) => (last.value = event.target instanceof Element ? event.target.className : "")}>
      <p>{last.value}</p>
      <Spiral tiles={props.tiles} />
    </main>
  );
}

/** One handler for all rows. */
function UsersPage(props: { users: User[] }): JSX.Element {
  const last = signal("");
  return (
    <main onClick={(event) => (last.value = event.target instanceof Element ? event.target.className : "")}>
      <p>{last.value}</p>
      <Users users={props.users} />
    </main>
  );
}

/** Every tile resumes by itself. */
function TileButton({ x, y, last }: Tile & { last: Signal<number> }): JSX.Element {
  return (
    <div
      class="tile"
      style={`left:${x.toFixed(2)}px;top:${y.toFixed(2)}px`}
      onClick={() => (last.value = Date.now())}
    />
  );
}

function SpiralScopes(props: { tiles: Tile[] }): JSX.Element {
  const last = signal(0);
  return (
    <div id="wrapper">
      {props.tiles.map(({ x, y }) => (
        <TileButton x={x} y={y} last={last} />
      ))}
    </div>
  );
}

/** Every row resumes by itself. */
function RowButton({ user, selected }: { user: User; selected: Signal<number> }): JSX.Element {
  const { id } = user;
  return (
    <tr class={user.active ? "on" : "off"} data-id={user.id} onClick={() => (selected.value = id)}>
      <td>{user.id}</td>
      <td title={user.title}>{user.name}</td>
      <td>
        <a href={`mailto:${user.email}`}>{user.email}</a>
      </td>
      <td>{user.bio}</td>
      <td>{user.active ? "active" : "idle"}</td>
      <td>{user.visits}</td>
    </tr>
  );
}

function UsersScopes(props: { users: User[] }): JSX.Element {
  const selected = signal(0);
  return (
    <table>
      <Head />
      <tbody>
        {props.users.map((user) => (
          <RowButton user={user} selected={selected} />
        ))}
      </tbody>
    </table>
  );
}

/** One scope with a list that may change in the browser, so the page also contains its data. */
function SpiralList(props: { tiles: Tile[] }): JSX.Element {
  const tiles = signal(props.tiles);
  return (
    <div id="wrapper" onClick={() => (tiles.value = [])}>
      <For each={tiles.value}>
        {({ x, y }) => <div class="tile" style={`left:${x.toFixed(2)}px;top:${y.toFixed(2)}px`} />}
      </For>
    </div>
  );
}

function UsersList(props: { users: User[] }): JSX.Element {
  const users = signal(props.users);
  return (
    <table>
      <Head />
      <tbody>
        <For each={users.value} by={(user) => user.id}>
          {(user) => (
            <tr
              class={user.active ? "on" : "off"}
              data-id={user.id}
              onClick={() => (users.value = users.value.filter((other) => other.id !== user.id))}
            >
              <td>{user.id}</td>
              <td title={user.title}>{user.name}</td>
              <td>
                <a href={`mailto:${user.email}`}>{user.email}</a>
              </td>
              <td>{user.bio}</td>
              <td>{user.active ? "active" : "idle"}</td>
              <td>{user.visits}</td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

/** The render functions, by contender and workload. */
export const views = {
  svc: {
    spiral: (tiles: Tile[]) => <Spiral tiles={tiles} />,
    table: (users: User[]) => <Users users={users} />,
  },
  "svc-page": {
    spiral: (tiles: Tile[]) => <SpiralPage tiles={tiles} />,
    table: (users: User[]) => <UsersPage users={users} />,
  },
  "svc-scopes": {
    spiral: (tiles: Tile[]) => <SpiralScopes tiles={tiles} />,
    table: (users: User[]) => <UsersScopes users={users} />,
  },
  "svc-list": {
    spiral: (tiles: Tile[]) => <SpiralList tiles={tiles} />,
    table: (users: User[]) => <UsersList users={users} />,
  },
};
