/**
 * The framework's Trusted Types policy: an inline script in pages with scripts, if the app enables it. It accepts any HTML, and is only
 * for output of the compiler: templates of rows and branches (src/web/client/bindings/template.ts).
 */
import { TRUSTED_TYPES_POLICY } from "../../platform/shared/wire.ts";

/** Browsers without Trusted Types accept plain HTML. */
export const POLICY_SCRIPT =
  `if(self.trustedTypes){let p=trustedTypes.createPolicy("${TRUSTED_TYPES_POLICY}",{createHTML:String});` +
  `self.$html=html=>p.createHTML(html)}`;
