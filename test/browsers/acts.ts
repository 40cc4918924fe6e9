/** All stories that run in every browser. */
import { dashboard } from "./dashboard.ts";
import { forms } from "./forms.ts";
import { hmr } from "./hmr.ts";
import { navigation } from "./navigation.ts";
import { pages } from "./pages.ts";
import type { Act } from "./stage.ts";
import { todo } from "./todo.ts";
import { widgets } from "./widgets.ts";

/** The dashboard is first, because an app built for production sets the variables of the process. */
export const acts: readonly Act[] = [dashboard, pages, todo, forms, navigation, widgets, hmr];
