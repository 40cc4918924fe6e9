import adapter from "@sveltejs/adapter-node";

// The nonce of every page, as svc's pages have one.
export default {
  kit: { adapter: adapter({ precompress: true }), csp: { mode: "nonce", directives: { "script-src": ["self"] } } },
};
