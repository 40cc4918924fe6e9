/** The active filters, each a link that removes it. */
export interface Chip {
  label: string;
  value: string;
  /** The list without this filter. */
  href: string;
}

export function ChipList({ chips }: { chips: readonly Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map(({ label, value, href }) => (
        <li key={label}>
          <a class="chip" href={href} aria-label={`Remove filter ${label} ${value}`}>
            <span class="quiet">{label}</span> {value} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
