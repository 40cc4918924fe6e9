/** The form fields of a webhook, for adding and editing. */
import { EVENTS, type Draft } from "../../views/webhooks/webhook-draft.ts";

export function DraftFields({ draft }: { draft: Draft }) {
  return (
    <>
      <label>
        URL
        <input
          type="url"
          name="url"
          required
          value={draft.url}
          placeholder="https://example.com/hooks"
          autocomplete="off"
        />
      </label>
      <fieldset class="buttons">
        <legend>Events</legend>
        {EVENTS.map((event) => (
          <label class="check" key={event}>
            <input type="checkbox" name={event} value="1" checked={draft.events.includes(event)} /> {event}
          </label>
        ))}
      </fieldset>
      <label>
        Description
        <input name="description" maxlength={500} value={draft.description} autocomplete="off" />
      </label>
    </>
  );
}
