/**
 * The framework's Trusted Types policy: an inline script of pages with scripts, where the app asks for it. It lets through any
 * HTML, and is for what the compiler wrote: templates of rows and branches (src/web/client/bindings/template.ts).
 */
import { TRUSTED_TYPES_POLICY } from "../../platform/shared/wire.ts";

/** Browsers without Trusted Types take plain HTML. */
export const POLICY_SCRIPT =
  `if(self.trustedTypes){let p=trustedTypes.createPolicy("${TRUSTED_TYPES_POLICY}",{createHTML:String});` +
  `self.$html=html=>p.createHTML(html)}`;
