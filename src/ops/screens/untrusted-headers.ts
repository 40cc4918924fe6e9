/** Response headers for content from workers. Opened by itself, it must not run scripts, and no other site may embed it. */
export const UNTRUSTED_HEADERS = [
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; sandbox"],
  ["cross-origin-resource-policy", "same-origin"],
  ["cache-control", "private, no-store"],
].flat();
