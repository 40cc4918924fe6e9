import { hydrate } from "solid-js/web";
import { Counter } from "./counter.solid.jsx";

hydrate(() => <Counter />, document.getElementById("root"));
