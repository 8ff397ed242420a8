/** The words for people: each value of the program has one, and none of them reads like the program. */
import { assert, describe, it } from "@effect/vitest"
import type { DeviceEntity } from "../../../src/devices/DeviceCalls.ts"
import type { Data } from "../../../src/api/Calls.ts"
import * as ChangeWords from "../../../src/domain/words/ChangeWords.ts"
import * as DeviceWords from "../../../src/domain/words/DeviceWords.ts"
import * as JobWords from "../../../src/domain/words/JobWords.ts"
import * as ServerWords from "../../../src/domain/words/ServerWords.ts"
import { inSentence, plainly, textOf, type Word, wordOf, type Words } from "../../../src/domain/words/Word.ts"

type Served = (typeof DeviceEntity)["protocol"] extends { readonly requests: ReadonlyMap<string, infer Call> }
  ? Call extends { readonly _tag: infer Name extends string }
    ? Name
    : never
  : never
type Delivery = Data<"GET /alerts/deliveries">["deliveries"][number]

/** A type that is lost on the way would accept every table. */
type Known<Value extends string> = [Value] extends [never] ? { readonly "the type is empty": Word } : Words<Value>

// the domain does not know these types, so that their tables are compared with them here: a value without a word does not compile
const tables = {
  calls: DeviceWords.callWords satisfies Known<Served>,
  deliveryActions: ServerWords.deliveryActionWords satisfies Known<Delivery["action"]>,
  jobs: JobWords.jobWords satisfies Known<JobWords.JobName>,
  spellings: ServerWords.spellingWords satisfies Known<Data<"GET /learned_lines">["learned_lines"][number]["state"]>
}

const isTable = (value: unknown): value is Words<string> => typeof value === "object" && value !== null

/** Every word of every table, with the name of its table and its value. */
const allWords: ReadonlyArray<readonly [place: string, word: Word]> = [
  ChangeWords,
  DeviceWords,
  JobWords,
  ServerWords
].flatMap((module) =>
  Object.entries(module)
    .filter(([, table]) => isTable(table))
    .flatMap(([name, table]) =>
      Object.entries(isTable(table) ? table : {}).map(([value, word]) => [`${name}.${value}`, word] as const)
    )
)

describe("the words for what the program writes", () => {
  it("has tables for all enumerations", () => {
    assert.isAbove(allWords.length, 200)
    for (const table of Object.values(tables)) assert.isNotEmpty(Object.keys(table))
  })

  it("never looks like a name of the program", () => {
    for (const [place, { text }] of allWords) {
      assert.notMatch(text, /_|[a-z][A-Z]|\b[A-Z]{5,}\b/, place)
      assert.notMatch(text, /[.!]$/, place)
    }
  })

  it("shows unknown values with spaces, and none of an object's own", () => {
    assert.deepEqual(wordOf(DeviceWords.stateWords, "NOT_YET_KNOWN"), { text: "NOT YET KNOWN", tone: "quiet" })
    assert.strictEqual(textOf(DeviceWords.stateWords, "constructor"), "constructor")
    assert.strictEqual(plainly("get_more"), "get more")
  })

  it("begins small within a sentence, except for what is always in capitals", () => {
    assert.strictEqual(inSentence("Not answering"), "not answering")
    assert.strictEqual(inSentence("VLAN unknown"), "VLAN unknown")
    assert.strictEqual(inSentence(""), "")
  })
})

describe("a job in words", () => {
  it("says what it is", () => {
    assert.strictEqual(JobWords.jobTitle("sync_devices"), "Rollout")
    assert.strictEqual(JobWords.jobTitle("sync_devices (dry_run)"), "Preview")
    assert.strictEqual(JobWords.jobTitle("apply_config (dry_run)"), "Push a text (preview)")
    assert.strictEqual(JobWords.jobTitle("of_a_newer_server"), "of a newer server")
  })

  const standings = [
    [{ status: "FINISHED", outcome: "success", waiting_for: null }, "Done", "good"],
    [{ status: "FINISHED", outcome: "partial", waiting_for: null }, "Partly failed", "warn"],
    [{ status: "FINISHED", outcome: "failed", waiting_for: null }, "Failed", "bad"],
    [{ status: "EXCEPTION", outcome: "failed", waiting_for: null }, "Could not run", "bad"],
    [{ status: "EXCEPTION", outcome: "partial", waiting_for: null }, "Partly failed", "warn"],
    [{ status: "ABORTED", outcome: "aborted", waiting_for: null }, "Stopped", "quiet"],
    [{ status: "RUNNING", outcome: null, waiting_for: null }, "Running", "info"],
    [{ status: "SCHEDULED", outcome: null, waiting_for: null }, "Waiting", "quiet"],
    [{ status: "SCHEDULED", outcome: null, waiting_for: { reason: "approval" } }, "Waiting for approval", "wait"],
    [
      { status: "RUNNING", outcome: null, waiting_for: { reason: "lock", job_id: 14 } },
      "Waiting for job 14 to end",
      "quiet"
    ],
    [{ status: "RUNNING", outcome: null, waiting_for: { reason: "pause", by: "otto" } }, "Paused by otto", "wait"],
    [{ status: "ABORTING", outcome: null, waiting_for: { reason: "pause", by: "otto" } }, "Stopping", "info"]
  ] as const
  for (const [job, text, tone] of standings)
    it(`stands as ${text} at ${job.status}`, () => assert.deepEqual(JobWords.jobWord(job), { text, tone }))
})

describe("a switch in words", () => {
  it("is in sync only while it is managed", () => {
    const word = (state: string, synchronized: boolean, cause?: string) =>
      DeviceWords.syncWord({ state, synchronized }, cause).text
    assert.strictEqual(word("MANAGED", true), "In sync")
    assert.strictEqual(word("MANAGED", false), "Out of sync")
    assert.strictEqual(word("MANAGED", false, "linknet_created"), "Out of sync: a link was added")
    assert.strictEqual(word("UNMANAGED", true), "Not managed")
  })

  it("has the release of a version without its build", () => {
    const versions = ["4.31.4M-35737583.4314M", "4.31.4M", "10.2.1", "7.5.1-3-dirty"]
    assert.deepEqual(versions.map(DeviceWords.releaseOf), ["4.31.4M", "4.31.4M", "10.2.1", "7.5.1-3-dirty"])
  })

  it("names calls that wait once each", () => {
    assert.strictEqual(
      DeviceWords.callsText(["ReadTables", "ReadInterfaces", "ReadTables"]),
      "reading addresses, reading ports"
    )
  })
})
