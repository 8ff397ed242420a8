/** A NETCONF session with servers that answer late, twice, wrongly, or not at all: no wrong answer is taken for the right one. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sharedCandidate } from "../../../src/drivers/netconf/Candidate.ts"
import { type NetconfOptions, openSession } from "../../../src/drivers/netconf/Session.ts"
import * as Xml from "../../../src/drivers/netconf/Xml.ts"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import { openTransport } from "../../../src/drivers/ssh/Transport.ts"
import { type Asked, helloOf, make, replyTo } from "../../support/ScriptedNetconf.ts"
import { sshServer } from "../../support/SshServer.ts"

const open = (answer: (asked: Asked) => void, options: Partial<NetconfOptions> = {}, hello = helloOf()) =>
  Effect.gen(function* () {
    const { target } = yield* make(hello, answer)
    const transport = yield* openTransport(target, yield* SshLimits, 30)
    return yield* openSession(target, transport, { seconds: 30, ...options })
  }).pipe(Effect.provide(SshLimits.layer()))

const timeouts = { runningConfig: 30, load: 30, commit: 30, save: 30 }
const ALL = ["candidate:1.0", "confirmed-commit:1.1", "startup:1.0", "rollback-on-error:1.0"]
const OK = "<ok/>"
const error = (tag: string, more = "") =>
  `<rpc-error><error-type>protocol</error-type><error-tag>${tag}</error-tag><error-severity>error</error-severity>${more}</rpc-error>`

describe("a NETCONF session", () => {
  it.live("passes notifications over, and takes a reply without a number", () =>
    Effect.gen(function* () {
      const { rpc } = yield* open((asked) =>
        asked.send(`<notification><eventTime/></notification>]]>]]><rpc-reply>${OK}</rpc-reply>]]>]]>`)
      )
      expect(Xml.child((yield* rpc("netconf get", "<get/>")).element, "ok")).toBeDefined()
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["a reply to another request", (asked: Asked) => asked.send(replyTo({ id: "99" }, OK)), "it answers request 99"],
    ["another message", (asked: Asked) => asked.send("<hello/>]]>]]>"), "a reply belongs here"],
    [
      "broken XML",
      (asked: Asked) => asked.send(`<rpc-reply message-id="${asked.id}"><ok>]]>]]>`),
      "its XML is refused"
    ],
    ["a DOCTYPE", (asked: Asked) => asked.send(`<!DOCTYPE a>${replyTo(asked, OK)}`), "it has a DOCTYPE"],
    ["a control character", (asked: Asked) => asked.send(replyTo(asked, "\u0007")), "its XML is refused"]
  ] as const)("ends with its reason after %s, and sends nothing more", ([, answer, message]) =>
    Effect.gen(function* () {
      let asked = 0
      const { rpc } = yield* open((one) => {
        asked += 1
        answer(one)
      })
      const first = yield* Effect.flip(rpc("netconf get", "<get/>"))
      expect(first).toMatchObject({ _tag: "UnexpectedAnswer", message: expect.stringContaining(message) })
      const second = yield* Effect.flip(rpc("netconf lock", "<lock/>"))
      expect(second).toMatchObject({ _tag: "UnexpectedAnswer", command: "netconf lock", message: first.message })
      expect(asked).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("bytes that are not UTF-8 end it, unless the platform reads such a message with marks in their place", () =>
    Effect.gen(function* () {
      const answer = (asked: Asked) => {
        const name = Buffer.from("<name>caf\u00e9</name>", "latin1")
        const [begin, end] = replyTo(asked, "~").split("~")
        asked.send(Buffer.concat([Buffer.from(begin ?? ""), name, Buffer.from(end ?? "")]))
      }
      const { rpc } = yield* open(answer)
      const refused = yield* Effect.flip(rpc("netconf get", "<get/>"))
      expect(refused).toMatchObject({ _tag: "UnexpectedAnswer", message: "a message is not UTF-8" })
      const tolerant = yield* open(answer, { readsMarked: (message) => !message.includes("<configuration") })
      for (const _ of [1, 2]) {
        const { element } = yield* tolerant.rpc("netconf get", "<get/>")
        expect(Xml.textOf(element, "name")).toBe("caf\uFFFD")
      }
    }).pipe(Effect.scoped)
  )

  it.live("a second reply to one request ends the session before it can be taken for the next one", () =>
    Effect.gen(function* () {
      const { rpc } = yield* open((asked) => asked.send(`${replyTo(asked, OK)}${replyTo(asked, OK)}`))
      yield* rpc("netconf get", "<get/>")
      expect(yield* Effect.flip(rpc("netconf commit", "<commit/>"))).toMatchObject({ _tag: "UnexpectedAnswer" })
    }).pipe(Effect.scoped)
  )

  it.live("sends further requests in the packet of one, and passes over only what is said to them", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { rpc } = yield* open((one) => {
        asked.push(one.body)
        const isLast = one.body === "<last/>"
        one.send(
          isLast
            ? replyTo(one, "<data/>")
            : one.body === "<third/>"
              ? `<rpc-reply>${OK}</rpc-reply>]]>]]>`
              : replyTo(one, OK)
        )
      })
      yield* rpc("netconf first", "<first/>", 30, ["<second/>", "<third/>"])
      expect(Xml.child((yield* rpc("netconf last", "<last/>")).element, "data")).toBeDefined()
      expect(asked).toEqual(["<first/>", "<second/>", "<third/>", "<last/>"])
    }).pipe(Effect.scoped)
  )

  it.live("a missed deadline and a closed session are told apart, and end it", () =>
    Effect.gen(function* () {
      const silent = yield* open(() => undefined)
      expect(yield* Effect.flip(silent.rpc("netconf get", "<get/>", 0.2))).toMatchObject({
        _tag: "CommandTimeout",
        command: "netconf get"
      })
      expect((yield* Effect.flip(silent.rpc("netconf get", "<get/>")))._tag).toBe("ConnectionException")
      const closing = yield* open((asked) => {
        asked.send("<rpc-reply>")
        asked.close()
      })
      expect(yield* Effect.flip(closing.rpc("netconf get", "<get/>"))).toMatchObject({
        _tag: "ConnectionException",
        message: "the switch closed the session"
      })
    }).pipe(Effect.scoped)
  )

  it.live("mends a known broken text only where a message is not well-formed", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const mend = (text: string) => {
        seen.push(text)
        return text.replace("<re><ok/>", "<re><ok/></re>")
      }
      const answers = ["<re><ok/>", "<re><ok/></re>"]
      const { rpc } = yield* open((asked) => asked.send(replyTo(asked, answers.shift() ?? "")), { mend })
      const first = yield* rpc("netconf get", "<get/>")
      expect(Xml.findAll(first.element, "ok").length).toBe(1)
      yield* rpc("netconf get", "<get/>")
      expect(seen.length).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("is not opened by a server that announces no version, and a refused subsystem is named", () =>
    Effect.gen(function* () {
      const strange = yield* Effect.flip(open(() => undefined, {}, "<hello><capabilities/></hello>]]>]]>"))
      expect(strange).toMatchObject({
        _tag: "ConnectionException",
        message: expect.stringContaining("it announces no version of NETCONF")
      })
      const server = yield* sshServer({ authenticate: (context) => context.accept() })
      const { target } = yield* make(helloOf(), () => undefined)
      const limits = yield* SshLimits
      const transport = yield* openTransport({ ...target, port: server.port }, limits, 30)
      expect(yield* Effect.flip(openSession(target, transport, { seconds: 30 }))).toMatchObject({
        _tag: "ConnectionException",
        whileDoing: "open a subsystem",
        message: expect.stringContaining("the switch opens no subsystem netconf")
      })
    }).pipe(Effect.scoped, Effect.provide(SshLimits.layer()))
  )
})

describe("the candidate of a NETCONF server", () => {
  const empty = { name: "job1", mode: "replace", elements: [] } as const
  const word = (body: string) => /^<([\w-]+)/.exec(body)?.[1] ?? ""

  /** A server that answers these words so and all others with ok; what it was asked is kept. */
  const candidateOf = (answers: Readonly<Record<string, string>>, capabilities: ReadonlyArray<string> = ALL) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const session = yield* open(
        (one) => {
          asked.push(word(one.body))
          const usual = one.body.includes("<get-config>") ? "<data/>" : OK
          one.send(replyTo(one, answers[word(one.body)] ?? usual))
        },
        {},
        helloOf(...capabilities)
      )
      return { asked, candidate: sharedCandidate(session, timeouts) }
    })

  it.live("names the session that holds the lock, and leaves what it has there", () =>
    Effect.gen(function* () {
      const info = "<error-message>lock denied</error-message><error-info><session-id>12</session-id></error-info>"
      const { asked, candidate } = yield* candidateOf({ lock: error("lock-denied", info) })
      expect(yield* Effect.flip(candidate.load(empty))).toMatchObject({
        _tag: "SessionLockedException",
        session: "12",
        unopened: true
      })
      yield* candidate.discard("job1")
      expect(asked).toEqual(["lock", "cancel-commit"])
    }).pipe(Effect.scoped)
  )

  it.live("is refused by an error beside ok, and given back empty and unlocked", () =>
    Effect.gen(function* () {
      const path = "<error-path>/a/b</error-path><error-message>unknown object</error-message>"
      const { asked, candidate } = yield* candidateOf({
        "edit-config": `${OK}<x>${error("unknown-element", path)}</x>`
      })
      expect(yield* Effect.flip(candidate.load(empty))).toMatchObject({
        _tag: "ReplaceConfigException",
        message: "unknown object",
        rejected: [{ lineNumber: null, path: "/a/b", line: "", answer: "unknown object" }]
      })
      expect(asked).toEqual(["lock", "discard-changes", "edit-config", "discard-changes", "unlock"])
    }).pipe(Effect.scoped)
  )

  it.live("is not committed by another login than the one that has loaded it", () =>
    Effect.gen(function* () {
      const { asked, candidate } = yield* candidateOf({})
      expect(yield* Effect.flip(candidate.commitTimed("job1", 60))).toMatchObject({
        _tag: "CommitError",
        message: expect.stringContaining("the candidate has ended with the login")
      })
      expect(asked).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is not committed with a timer that only its own login could confirm", () =>
    Effect.gen(function* () {
      const { candidate } = yield* candidateOf({}, ["candidate:1.0", "confirmed-commit:1.0"])
      yield* candidate.load(empty)
      expect((yield* Effect.flip(candidate.commitTimed("job1", 60)))._tag).toBe("CommitError")
    }).pipe(Effect.scoped)
  )

  it.live("a timer is neither there nor gone by an answer that is not understood", () =>
    Effect.gen(function* () {
      const tagOf = (answer: string) =>
        Effect.flatMap(candidateOf({ "cancel-commit": answer }), ({ candidate }) =>
          Effect.map(candidate.sessions("job1"), ({ timer: seen }) => seen._tag)
        )
      expect(yield* tagOf(error("invalid-value"))).toBe("running")
      expect(yield* tagOf(error("operation-failed"))).toBe("none")
      expect(yield* tagOf(OK)).toBe("unknown")
      expect(yield* tagOf(error("access-denied"))).toBe("unknown")
    }).pipe(Effect.scoped)
  )

  it.live("a timer that a refused commit has left behind is taken back by its name", () =>
    Effect.gen(function* () {
      const { asked, candidate } = yield* candidateOf({ commit: error("operation-failed") })
      yield* candidate.load(empty)
      expect((yield* Effect.flip(candidate.commitTimed("job1", 60)))._tag).toBe("CommitError")
      yield* candidate.discard("job1")
      expect(asked.slice(-4)).toEqual(["commit", "discard-changes", "unlock", "cancel-commit"])
    }).pipe(Effect.scoped)
  )

  it.live("an answer that is neither ok nor an error is no success", () =>
    Effect.gen(function* () {
      const { candidate } = yield* candidateOf({ commit: "<data/>" })
      yield* candidate.load(empty)
      expect(yield* Effect.flip(candidate.commit("job1"))).toMatchObject({ _tag: "UnexpectedAnswer" })
    }).pipe(Effect.scoped)
  )
})
