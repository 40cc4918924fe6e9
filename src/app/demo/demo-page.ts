/** The HTML of the webhook demo: one button and its delivery. Plain strings, because it must work without a build. */
import { escapeAttribute, escapeText } from "../../platform/shared/html/escape.ts";
import { CSRF_FIELD, PATHS, VARIABLES } from "../../platform/shared/wire.ts";
import type { DeliveryDetail } from "../../webhooks/views.ts";
import { INBOX_BEHAVIOURS, type InboxBehaviour, type Received } from "./demo-inbox.ts";
import { DEMO_STYLE } from "./demo-style.ts";

/** Shared by its documents. */
interface DemoHead {
  nonce: string;
  /** URL of the app's icon. */
  icon: string | undefined;
}

export interface DemoView extends DemoHead {
  csrfToken: string;
  /** Delivery that the button has sent. */
  deliveryId: string | undefined;
  /** The received request. */
  received: Received | undefined;
  /** The sender's record. */
  delivery: DeliveryDetail | undefined;
  /** Whether `SVC_WEBHOOK_SECRET` is set. */
  hasSecret: boolean;
}

const MOOD_TEXTS: Record<InboxBehaviour, string> = {
  well: "answers well",
  failing: "fails once",
  slow: "is too slow once",
  redirecting: "redirects once",
};

export function demoPage(view: DemoView): string {
  const body =
    `<p class="lede">The button registers an inbox on this server as a webhook for some minutes and sends it a sample ` +
    `<code>graph.done</code> through the real path: outbox, delivery loop, signature, HTTP. Below is what a receiver gets.</p>` +
    `<form method="post" action="${PATHS.demo}">` +
    `<input type="hidden" name="${CSRF_FIELD}" value="${escapeAttribute(view.csrfToken)}">` +
    `<label>A receiver that <select name="receiver">${INBOX_BEHAVIOURS.map((mood) => `<option value="${mood}">${MOOD_TEXTS[mood]}</option>`).join("")}</select></label> ` +
    `<button type="submit">Send a sample webhook</button></form>` +
    (view.hasSecret ? "" : hint()) +
    `<section aria-live="polite">${attempts(view)}${outcome(view)}</section>`;
  return documentOf("Webhook demo", body, view);
}

export function inboxPage(received: readonly Received[], head: DemoHead): string {
  const list = received.map((item) => delivery(item, "h2")).join("");
  const body =
    `<p class="lede">The request that the inbox received. <a href="${PATHS.demo}">Send another</a></p>` +
    (list || `<p class="note">The inbox has not received this sample, or does not keep it any more.</p>`);
  return documentOf("Webhook inbox", body, head);
}

function hint(): string {
  return (
    `<p class="note">This sample is signed with a secret of the demo. Deliveries to other receivers are unsigned until a secret is set: start the server with ` +
    `<code>${VARIABLES.webhookSecret}=$(openssl rand -hex 32)</code>.</p>`
  );
}

function outcome({ deliveryId, received }: DemoView): string {
  if (received) return delivery(received, "h2");
  if (deliveryId === undefined) return "";
  return (
    `<p class="note">Delivery <code>${escapeText(deliveryId)}</code> has not arrived yet. ` +
    `<a href="${PATHS.demo}?delivery=${encodeURIComponent(deliveryId)}">Look again</a></p>`
  );
}

/** Attempts, their errors, and the time of the next one. */
function attempts({ delivery: record }: DemoView): string {
  if (!record) return "";
  const rows = record.attempts.map(
    ({ number, started_ms, duration_ms, status_code, error }) =>
      `<tr><td class="number">${number}</td><td>${timeText(started_ms)}</td><td class="number">${duration_ms} ms</td>` +
      `<td class="number">${status_code ?? "none"}</td><td>${escapeText(error ?? "")}</td></tr>`,
  );
  const next = record.next_attempt_ms;
  const dueText = next === null ? "" : `, next attempt ${timeText(next)}`;
  return (
    `<article><h2>Attempts</h2><p>Status: ${record.status}${dueText}. ` +
    `<a href="${PATHS.demo}?delivery=${encodeURIComponent(record.id)}">Look again</a></p>` +
    `<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">No.</th><th scope="col">Began</th><th scope="col">Took</th>` +
    `<th scope="col">Answer</th><th scope="col">Error</th></tr></thead><tbody>${rows.join("")}</tbody></table></div></article>`
  );
}

function delivery(item: Received, heading: "h2"): string {
  const rows = Object.entries(item.headers)
    .map(
      ([name, value]) =>
        `<tr><th scope="row"><code>${escapeText(name)}</code></th><td><code>${escapeText(value)}</code></td></tr>`,
    )
    .join("");
  return (
    `<article><${heading}>Received</${heading}>` +
    `<p class="verdict good">Signature verified</p>` +
    `<p class="quiet">${timeText(item.received_ms)}</p>` +
    `<p class="quiet"><a href="${PATHS.demoInbox}?delivery=${encodeURIComponent(item.id)}">Only the request</a></p>` +
    `<h3>Body</h3><pre tabindex="0">${escapeText(pretty(item.body))}</pre>` +
    `<h3>Headers</h3><div class="scroll" tabindex="0"><table class="pairs"><tbody>${rows}</tbody></table></div></article>`
  );
}

function timeText(ms: number): string {
  const text = new Date(ms).toISOString();
  return `<time datetime="${text}">${text}</time>`;
}

/** Indents JSON; other bodies are shown as received. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function documentOf(title: string, body: string, { nonce, icon }: DemoHead): string {
  const iconLink = icon === undefined ? "" : `<link rel="icon" href="${escapeAttribute(icon)}">`;
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
    `<title>${title}</title>${iconLink}<style nonce="${escapeAttribute(nonce)}">${DEMO_STYLE}</style></head>` +
    `<body><main><p class="quiet"><a href="/">Start page</a></p><h1>${title}</h1>${body}</main></body></html>`
  );
}
