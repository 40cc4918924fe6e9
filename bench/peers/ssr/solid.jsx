/** bench:ssr in Solid: built twice, once as it is and once hydratable. */
import { For } from "solid-js";
import { renderToString } from "solid-js/web";

const Spiral = (props) => (
  <div id="wrapper">
    <For each={props.tiles}>
      {({ x, y }) => <div class="tile" style={`left:${x.toFixed(2)}px;top:${y.toFixed(2)}px`} />}
    </For>
  </div>
);

const Row = (props) => (
  <tr class={props.user.active ? "on" : "off"} data-id={props.user.id}>
    <td>{props.user.id}</td>
    <td title={props.user.title}>{props.user.name}</td>
    <td>
      <a href={`mailto:${props.user.email}`}>{props.user.email}</a>
    </td>
    <td>{props.user.bio}</td>
    <td>{props.user.active ? "active" : "idle"}</td>
    <td>{props.user.visits}</td>
  </tr>
);

const Users = (props) => (
  <table>
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
    <tbody>
      <For each={props.users}>{(user) => <Row user={user} />}</For>
    </tbody>
  </table>
);

export const spiral = (tiles) => renderToString(() => <Spiral tiles={tiles} />);
export const table = (users) => renderToString(() => <Users users={users} />);
