/** The numbers of the database's advisory locks, all in one place: two works with one number would keep each other waiting. */

export const locks = {
  /** Giving out addresses and links. */
  allocation: 4_201,
  /** Shared by all who call plugins; servers of 0.2 lock it for themselves, all plugins at once. */
  plugins: 4_202,
  /** The class of the locks of single plugins. */
  plugin: 4_203,
  /** The seed of the locks of single addresses, while records take them from others. */
  address: 4_204,
  /** The class of the locks of the tokens of one person, while one more is made. */
  tokens: 4_205,
  /** The commits in force: alone by who changes them, shared by who reads them for a job. */
  commits: 5_417_260,
  /** Sealing the audit, and removing from its beginning. */
  auditSealing: 5_417_280,
  /** Sending the audit elsewhere. */
  auditSending: 5_417_281,
  jobRemoval: 5_417_282,
  textPacking: 5_417_283,
  /** Beginning a round of removal and counting. */
  retentionRound: 5_417_284,
  eventRemoval: 5_417_285,
  /** Counting switches that nobody knows. */
  registration: 5_417_286,
  /** Making the first administrator. */
  setup: 5_417_290,
  /** Putting a backup back. */
  restore: 7_304_611
} as const
