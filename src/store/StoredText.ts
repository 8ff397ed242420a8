/**
 * Texts that are stored once (docs/operations.md#stored-once): in the place of one stands a reference, and `whole_text(column)` is the
 * text, sealed, wherever it stands. A release that does not know references takes one for a text under another key.
 */

/** What a reference begins with; the digest of the text follows. Migration 0044 has it too. */
export const REFERENCE = "sealed:1:storedconfig:"
