/** The widgets in a real Chromium under the production policy. Each has a file; one app and one browser serve all of them. */
import "./ui-gestures.ts";
import "./ui-overlays.ts";
import "./ui-themes.ts";
import "./ui-toasts.ts";
import "./ui-virtual.ts";
