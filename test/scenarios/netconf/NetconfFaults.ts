/**
 * Everything that may go wrong with a NETCONF server during a change, as data: what is done to it and at which step, and how the
 * change must end. `FAULTS.md` is made from this table, and `Netconf.test.ts` plays it.
 */
import { Effect } from "effect"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import type { Netconfd } from "../../support/Netconfd.ts"
import { done, type Ending, takenBack, untouched } from "../chaos/FaultEndings.ts"
import { connect, type Netconf } from "./NetconfDriver.ts"

/** The configuration of a server whose interfaces have these descriptions. */
export const interfaces = (descriptions: Readonly<Record<string, string>>): string =>
  [
    `<interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces">`,
    ...Object.entries(descriptions).flatMap(([name, description]) => [
      "  <interface>",
      `    <name>${name}</name>`,
      `    <description>${description}</description>`,
      `    <type xmlns:ianaift="urn:ietf:params:xml:ns:yang:iana-if-type">ianaift:ethernetCsmacd</type>`,
      "  </interface>"
    ]),
    "</interfaces>",
    `<nacm xmlns="urn:ietf:params:xml:ns:yang:ietf-netconf-acm"/>`,
    ""
  ].join("\n")

/** What it runs and starts with, and what it is to run. */
export const old = interfaces({ ge1: "old", ge2: "office" })
export const wanted = interfaces({ ge1: "new", ge2: "office" })

/** The steps of a change at which something happens, and their words in the documentation. */
export const steps = {
  open: { when: "after", place: "after logging in" },
  load: { when: "after", place: "after loading the candidate" },
  commitTimed: { when: "after", place: "after committing with a timer" },
  confirm: { when: "before", place: "in the proof: before confirming" },
  confirmed: { when: "after", place: "in the proof: after confirming" },
  save: { when: "after", place: "after the confirmation: after saving" }
} as const
export type StepName = keyof typeof steps

type Outside = (server: Netconfd) => Effect.Effect<unknown, unknown>

/** One cell of the table. */
export interface NetconfFault {
  readonly fault: string
  readonly place: string
  /** What is done once at this step. */
  readonly strike?: { readonly at: StepName; readonly happens: Outside }
  /** What is done before the job. */
  readonly before?: Outside
  readonly text?: string
  readonly dryRun?: boolean
  /** See `NetconfDriverOptions`. */
  readonly validates?: boolean
  readonly ending: Ending
}

/** A session of another user. */
export const asOther = <A, E>({ target }: Pick<Netconfd, "target">, use: (netconf: Netconf) => Effect.Effect<A, E>) =>
  Effect.flatMap(connect(target), ({ netconf }) => use(netconf)).pipe(Effect.scoped, Effect.provide(SshLimits.layer()))

const restart: Outside = (server) => Effect.andThen(server.kill, server.start)
const cut: Outside = (server) => Effect.andThen(server.cut, server.mend)

/** Nobody reaches the server until it has taken the commit back, which its log shows as a change of its own. */
const cutUntilUndone: Outside = (server) =>
  Effect.gen(function* () {
    yield* server.cut
    const before = server.log().length
    while (!server.log().slice(before).includes("by superuser@localhost")) yield* Effect.sleep("200 millis")
    yield* server.mend
  })

const editByOther: Outside = (server) =>
  asOther(server, ({ rpc }) =>
    rpc(
      "netconf edit-config",
      `<edit-config><target><candidate/></target><config>${interfaces({ ge9: "foreign" })}</config></edit-config>`
    )
  )

const cancelByOther: Outside = (server) =>
  asOther(server, ({ rpc }) =>
    rpc("netconf cancel-commit", "<cancel-commit><persist-id>job1</persist-id></cancel-commit>")
  )

const lost = untouched("ConnectionException: ")
const goneBack = takenBack("CommitError: The device has gone back to the old configuration")

const everywhere = (
  fault: string,
  happens: Outside,
  endings: Readonly<Record<StepName, Ending>>
): ReadonlyArray<NetconfFault> =>
  (Object.keys(steps) as ReadonlyArray<StepName>).map((at) => ({
    fault,
    place: steps[at].place,
    strike: { at, happens },
    ending: endings[at]
  }))

export const faults: ReadonlyArray<NetconfFault> = [
  { fault: "none", place: "as usual", ending: done },
  {
    fault: "wrong element",
    place: "in the candidate",
    text: wanted.replaceAll("name>", "nam>"),
    ending: untouched("/nc:rpc/nc:edit-config/nc:config/if:interfaces", "ReplaceConfigException: ")
  },
  {
    fault: "broken XML",
    place: "in the candidate",
    text: wanted.replace("</interfaces>", ""),
    ending: untouched("ReplaceConfigException: ")
  },
  ...everywhere("restarts", restart, {
    open: lost,
    // the candidate has ended with its login, and is loaded anew
    load: done,
    commitTimed: goneBack,
    confirm: goneBack,
    // a confirmation saves
    confirmed: done,
    save: done
  }),
  ...everywhere("connection cut", cut, {
    open: lost,
    load: done,
    commitTimed: done,
    confirm: done,
    confirmed: done,
    save: done
  }),
  {
    fault: "out of reach",
    place: `${steps.commitTimed.place}, until its timer has ended`,
    strike: { at: "commitTimed", happens: cutUntilUndone },
    ending: takenBack("CommitError: ")
  },
  {
    fault: "cancelled by another user",
    place: steps.commitTimed.place,
    strike: { at: "commitTimed", happens: cancelByOther },
    ending: goneBack
  },
  {
    fault: "uncommitted change of another user",
    place: "from the start",
    before: editByOther,
    ending: untouched("SessionLockedException: ")
  },
  {
    fault: "uncommitted change of another user",
    place: steps.commitTimed.place,
    strike: { at: "commitTimed", happens: editByOther },
    ending: takenBack("CommitError: ")
  },
  {
    fault: "says ok and applies nothing",
    place: "committing with a timer",
    validates: true,
    ending: takenBack("CommitError: ")
  }
]
