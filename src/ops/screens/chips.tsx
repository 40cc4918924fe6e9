/** Filters that are in force, each a link that drops it. */
export interface Chip {
  label: string;
  value: string;
  /** The list without it. */
  href: string;
}

export function ChipList({ chips }: { chips: readonly Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters in force">
      {chips.map(({ label, value, href }) => (
        <li key={label}>
          <a class="chip" href={href} aria-label={`Drop ${label} ${value}`}>
            <span class="quiet">{label}</span> {value} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
