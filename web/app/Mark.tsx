/** The mark of Switchyard. */
export const Mark = ({ size }: { readonly size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden className="mark">
    <rect className="mark-ground" width="32" height="32" rx="8" />
    <path className="mark-track" d="M6 11h11.5l8.5 10M6 21h20" />
    <circle className="mark-light" cx="26" cy="21" r="2.7" />
  </svg>
)
