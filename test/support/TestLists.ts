/**
 * Which run plays which tests: `npm test` the quick ones, `npm run test:all` all of them. Patterns are of files; `scripts/check-tests.ts`
 * fails when a test belongs to none of these lists or to two, and when a pattern matches nothing.
 */

/** The one whole story, from a lease to MANAGED, a push and its undo, is quick enough to be told before each commit. */
const STORY = "test/scenarios/program/FirstLine.test.ts"

/** Tests with routers and other daemons of others, which want the machine's processors for themselves. */
export const routers: ReadonlyArray<string> = [
  "test/scenarios/routers/*.test.ts",
  "test/scenarios/bird/*.test.ts",
  "test/drivers/frr/*.test.ts",
  "test/fabric/*.test.ts"
]

/** Tests of one room that take long: many processes, many moments, timers of switches. */
const LONG: ReadonlyArray<string> = []

/** What takes long: everything that crosses rooms, and what one room has of it. */
export const long: ReadonlyArray<string> = ["test/scenarios/**/*.test.ts", ...LONG]

/** The rooms, of which everything is quick that is not named above. */
export const quick: ReadonlyArray<string> = [
  STORY,
  "test/access/**/*.test.ts",
  "test/backup/**/*.test.ts",
  "test/certificates/**/*.test.ts",
  "test/cli/**/*.test.ts",
  "test/devices/**/*.test.ts",
  "test/dhcp/**/*.test.ts",
  "test/domain/**/*.test.ts",
  "test/drivers/**/*.test.ts",
  "test/events/**/*.test.ts",
  "test/firmware/**/*.test.ts",
  "test/git/**/*.test.ts",
  "test/http/**/*.test.ts",
  "test/jinja/**/*.test.ts",
  "test/jobs/**/*.test.ts",
  "test/lab/**/*.test.ts",
  "test/machines/**/*.test.ts",
  "test/plugins/**/*.test.ts",
  "test/provisioning/**/*.test.ts",
  "test/runtime/**/*.test.ts",
  "test/settings/**/*.test.ts",
  "test/store/**/*.test.ts",
  "test/templates/**/*.test.ts",
  "test/web/**/*.test.ts"
]

/** What each project of `vitest.config.ts` plays: its own list without those that come before it. */
export const projects = {
  routers: { include: routers, exclude: [] },
  long: { include: long, exclude: [STORY, ...routers] },
  quick: { include: quick, exclude: [...LONG, ...routers] }
} satisfies Readonly<
  Record<string, { readonly include: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }>
>
