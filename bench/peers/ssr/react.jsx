/** @jsxImportSource react */
/** bench:ssr in React. */
import { renderToString } from "react-dom/server";

const Spiral = ({ tiles }) => (
  <div id="wrapper">
    {tiles.map(({ x, y }, at) => (
      <div key={at} className="tile" style={{ left: `${x.toFixed(2)}px`, top: `${y.toFixed(2)}px` }} />
    ))}
  </div>
);

const Row = ({ user }) => (
  <tr className={user.active ? "on" : "off"} data-id={user.id}>
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

const Users = ({ users }) => (
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
      {users.map((user) => (
        <Row key={user.id} user={user} />
      ))}
    </tbody>
  </table>
);

export const spiral = (tiles) => renderToString(<Spiral tiles={tiles} />);
export const table = (users) => renderToString(<Users users={users} />);
