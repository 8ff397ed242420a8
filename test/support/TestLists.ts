/**
 * Which run plays which tests: `npm test` the quick ones, `npm run test:all` all of them. Patterns are of files; `scripts/check-tests.ts`
 * fails when a test belongs to none of these lists or to two, and when a pattern matches nothing.
 */

/** The one whole story, from a lease to MANAGED, a push and its undo, is quick enough to run before each commit. */
const STORY = "test/scenarios/program/FirstLine.test.ts"

/** Tests with routers and other daemons of others, which want the machine's processors for themselves. */
export const routers: ReadonlyArray<string> = [
  "test/scenarios/routers/*.test.ts",
  "test/scenarios/bird/*.test.ts",
  "test/scenarios/netconf/*.test.ts",
  "test/drivers/frr/*.test.ts",
  "test/fabric/*.test.ts"
]

/** Tests of one room that take long: many processes, many moments, timers of switches. */
const LONG: ReadonlyArray<string> = [
  "test/backup/Check.test.ts",
  "test/backup/Encryption.test.ts",
  "test/cli/CheckedSettings.test.ts",
  "test/cli/Client.test.ts",
  "test/cli/Doctor.test.ts",
  "test/cli/ExitCodes.test.ts",
  "test/cli/SecretCommand.test.ts",
  "test/cli/Service.test.ts",
  "test/devices/SparseSwitches.test.ts",
  "test/devices/WithheldLogins.test.ts",
  "test/dhcp/DhcpServers.test.ts",
  "test/drivers/eos/NeededCommands.test.ts",
  "test/events/DatabaseFaults.test.ts",
  "test/events/KilledServer.test.ts",
  "test/events/ServedAlerts.test.ts",
  "test/git/GitStaleLocks.test.ts",
  "test/git/GitNetwork.test.ts",
  "test/http/RandomRequests.test.ts",
  "test/http/BodyBudgets.test.ts",
  "test/http/AnswerOrder.test.ts",
  "test/http/FieldRoles.test.ts",
  "test/http/OnboardingNetbox.test.ts",
  "test/http/TextRules.test.ts",
  "test/http/auth/LocalUsers.test.ts",
  "test/http/auth/Persons.test.ts",
  "test/http/changes/LargeAnswers.test.ts",
  "test/http/events/EventRights.test.ts",
  "test/http/events/SocketExpiry.test.ts",
  "test/http/jobs/LargeJobLists.test.ts",
  "test/http/oidc/ProviderTokens.test.ts",
  "test/jinja/Bounds.test.ts",
  "test/jobs/engine/JobOutcomes.test.ts",
  "test/jobs/engine/JobPlaces.test.ts",
  "test/jobs/engine/LockWaiting.test.ts",
  "test/jobs/init/AccessInitFailures.test.ts",
  "test/jobs/init/PushFailures.test.ts",
  "test/jobs/repositories/EndlessTemplate.test.ts",
  "test/jobs/repositories/HangingRemote.test.ts",
  "test/jobs/repositories/UnusableFiles.test.ts",
  "test/jobs/sync/CommandsInFields.test.ts",
  "test/jobs/sync/DisputedRecords.test.ts",
  "test/jobs/sync/JobCommits.test.ts",
  "test/jobs/sync/LargeDevice.test.ts",
  "test/jobs/sync/UnknownCommands.test.ts",
  "test/jobs/sync/MissingLines.test.ts",
  "test/jobs/sync/MonitoringChecks.test.ts",
  "test/jobs/sync/OpenChanges.test.ts",
  "test/jobs/sync/PasswordChange.test.ts",
  "test/jobs/sync/PeculiarSwitches.test.ts",
  "test/jobs/sync/PluginChecks.test.ts",
  "test/jobs/sync/SaltedSecrets.test.ts",
  "test/jobs/sync/SyncRestart.test.ts",
  "test/jobs/sync/SyncRollout.test.ts",
  "test/jobs/sync/Windows.test.ts",
  "test/jobs/upgrade/KillUpgrade.test.ts",
  "test/jobs/upgrade/StaggeredUpgrade.test.ts",
  "test/jobs/upkeep/HostileDeviceText.test.ts",
  "test/jobs/upkeep/OperationFaults.test.ts",
  "test/machines/change/ConfigChangeOnASwitch.test.ts",
  "test/plugins/PluginChecks.test.ts",
  "test/plugins/PluginProcess.test.ts",
  "test/runtime/NameLookup.test.ts",
  "test/runtime/ThreadPool.test.ts",
  "test/runtime/Traces.test.ts",
  "test/store/DatabaseClient.test.ts",
  "test/store/ForeignLock.test.ts",
  "test/templates/Renderer.test.ts"
]

/** Slow tests: everything that crosses rooms, and the slow tests of each room. */
export const long: ReadonlyArray<string> = ["test/scenarios/**/*.test.ts", ...LONG]

/** The rooms, whose tests are quick unless they are listed above. */
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
  "test/onboarding/**/*.test.ts",
  "test/provisioning/**/*.test.ts",
  "test/runtime/**/*.test.ts",
  "test/settings/**/*.test.ts",
  "test/store/**/*.test.ts",
  "test/templates/**/*.test.ts",
  "test/web/**/*.test.ts"
]

/** The tests of each project of `vitest.config.ts`: its own list without those before it. */
export const projects = {
  routers: { include: routers, exclude: [] },
  long: { include: long, exclude: [STORY, ...routers] },
  quick: { include: quick, exclude: [...LONG, ...routers] }
} satisfies Readonly<
  Record<string, { readonly include: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }>
>
