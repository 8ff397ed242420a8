/** Changes that have not come to their end, as a condition of statements; to be put behind the name of the table. */
export const UNFINISHED = "phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')"
