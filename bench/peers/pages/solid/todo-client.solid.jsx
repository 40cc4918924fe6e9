import { hydrate } from "solid-js/web";
import { Todos } from "./todo.solid.jsx";

const todos = JSON.parse(document.getElementById("data").textContent);
hydrate(() => <Todos todos={todos} />, document.getElementById("root"));
