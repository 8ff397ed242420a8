import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import type * as Topology from "../../../src/lab/Topology.ts"
import { seconds } from "../../support/Patience.ts"
import { connect, exec } from "../../support/lab/Client.ts"
import { junosConfig, type Netconf, oneJunos, type OneJunos, openNetconf } from "../../support/lab/JunosCampus.ts"

/** A switch with a NETCONF session on it. */
const scene = (node: Partial<Topology.Node>, body: (session: Netconf, one: OneJunos) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneJunos(node)
    const session = yield* one.netconf
    yield* Effect.promise(() => body(session, one))
    session.close()
  })

const NEW = junosConfig("sw2", "10.9.2.1")

const LOCK = "<lock-configuration/>"
const UNLOCK = "<unlock-configuration/>"
const CHECK = "<commit-configuration><check/></commit-configuration>"
const COMMIT = "<commit-configuration/>"
const HISTORY = "<get-commit-information/>"
const COMPARE = '<get-configuration compare="rollback" rollback="0" format="text"/>'
const load = (text: string, action = "update") =>
  `<load-configuration action="${action}" format="text"><configuration-text>${text}</configuration-text></load-configuration>`
const set = (lines: string) =>
  `<load-configuration action="set" format="text"><configuration-set>${lines}</configuration-set></load-configuration>`
const timed = (minutes: number, log = "job-1") =>
  `<commit-configuration><confirmed/><confirm-timeout>${minutes}</confirm-timeout><log>${log}</log></commit-configuration>`

const PENDING = "<commit-confirmed>rollback pending</commit-confirmed>"

/** The entries of the history, newest first. */
const historyOf = async (session: Netconf): Promise<ReadonlyArray<string>> =>
  (await session.rpc(HISTORY)).split("<commit-history>").slice(1)

const LONG = 5000

/** The new configuration with a timer that does not end in a test. */
const pending = async (session: Netconf) => {
  for (const body of [LOCK, load(NEW), timed(LONG)]) expect(await session.rpc(body)).not.toContain("rpc-error")
}

const until = (test: () => boolean | Promise<boolean>) =>
  vi.waitFor(async () => expect(await test()).toBe(true), { timeout: seconds(20), interval: 20 })

describe("a confirmed commit", () => {
  it.effect("is pending in the history, and shows its minutes and the name of its log", () =>
    scene({}, async (session, { device }) => {
      await pending(session)
      const [first = "", second = ""] = await historyOf(session)
      expect(first).toContain("<comment>commit confirmed, rollback in 5000mins</comment>")
      expect(first).toContain("<log>job-1</log>")
      expect(first).toContain(PENDING)
      expect(first).toContain("<client>netconf</client>")
      expect(second).not.toContain("commit-confirmed>")
      expect(device.hostname()).toBe("sw2")
      expect(device.timer()?.session).toBe("job-1")
    })
  )

  it.effect("is confirmed by a check, which leaves its comment and makes no entry", () =>
    scene({}, async (session, { device }) => {
      await pending(session)
      const before = await historyOf(session)
      expect(await session.rpc(CHECK)).toContain("<commit-check-success/>")
      const after = await historyOf(session)
      expect(after).toHaveLength(before.length)
      expect(after[0]).toContain("rollback in 5000mins")
      expect(after[0]).not.toContain(PENDING)
      expect(device.timer()).toBeUndefined()
      expect(device.commits("job-1").map(({ kind }) => kind)).toEqual(["commitTimer", "confirm"])
    })
  )

  it.effect("is confirmed by a check of somebody else, and by <validate>", () =>
    scene({}, async (session, { device, host, port }) => {
      await pending(session)
      await session.rpc(UNLOCK)
      const other = await openNetconf(host, port)
      expect(await other.rpc("<validate><source><candidate/></source></validate>")).toContain("<ok/>")
      expect(device.timer()).toBeUndefined()
      other.close()
    })
  )

  it.effect("is confirmed by a commit, which makes an entry of its own", () =>
    scene({}, async (session) => {
      await pending(session)
      expect(await session.rpc(COMMIT)).toContain("<commit-success/>")
      const [first = "", second = ""] = await historyOf(session)
      expect(first).not.toContain("<comment>")
      expect(second).toContain("rollback in 5000mins")
      expect(second).not.toContain(PENDING)
    })
  )

  it.effect("is confirmed by what somebody else commits by hand, or checks at the console", () =>
    scene({}, async (session, { device }) => {
      await pending(session)
      device.configure("set snmp location office")
      expect(device.timer()).toBeUndefined()
      expect(device.startup()).toContain("location office;")
      for (const body of [load(junosConfig("sw3", "10.9.2.1")), timed(LONG, "job-2"), UNLOCK]) await session.rpc(body)
      expect(await device.atConsole("configure", "commit check")).toContain("configuration check succeeds")
      expect(device.timer()).toBeUndefined()
      expect(device.startup()).toContain("host-name sw3;")
    })
  )

  it.effect("gives way to another user's, which goes back to what ran before both", () =>
    scene({}, async (session, { device }) => {
      await pending(session)
      await session.rpc(UNLOCK)
      expect(device.foreignSession("maintenance", 1)).toBeUndefined()
      const [first = "", second = ""] = await historyOf(session)
      expect(first).toContain(PENDING)
      expect(second).toContain("<log>job-1</log>")
      expect(second).not.toContain(PENDING)
      await until(() => device.hostname() === "sw1")
    })
  )

  it.effect("is not confirmed by a check that fails", () =>
    scene({}, async (session, { device }) => {
      await pending(session)
      await session.rpc(set("set interfaces ge-0/0/1 unit 0 family ethernet-switching vlan members nowhere"))
      const answer = await session.rpc(CHECK)
      expect(answer).toContain("vlan-member nowhere is not defined")
      expect(answer).toContain("configuration check-out failed")
      expect(device.timer()?.session).toBe("job-1")
    })
  )

  it.effect("rolls back by itself after its minutes, as a commit of root", () =>
    scene({}, async (session, { device }) => {
      for (const body of [LOCK, load(NEW), timed(1)]) await session.rpc(body)
      await until(() => device.hostname() === "sw1")
      const [first = "", second = ""] = await historyOf(session)
      expect(first).toMatch(/<user>root<\/user>\n<client>other<\/client>/)
      expect(second).toContain("<log>job-1</log>")
      expect(second).not.toContain(PENDING)
      expect(device.startup()).toContain("host-name sw1;")
      expect(device.commits("job-1").map(({ kind }) => kind)).toEqual(["commitTimer", "expired"])
    })
  )

  it.effect("goes on with another one, which has the old configuration to go back to", () =>
    scene({}, async (session, { device }) => {
      await pending(session)
      await session.rpc(timed(1, "job-2"))
      await until(() => device.hostname() === "sw1")
      expect(device.commits("job-2").map(({ kind }) => kind)).toEqual(["commitTimer", "expired"])
    })
  )

  it.effect("takes seconds of the standard's form for minutes: a few seconds are none", () =>
    scene({}, async (session, { device }) => {
      await session.rpc(load(NEW))
      expect(await session.rpc("<commit><confirmed/><confirm-timeout>5</confirm-timeout></commit>")).toContain("<ok/>")
      await until(() => device.commits().some(({ kind }) => kind === "expired"))
      expect((await historyOf(session))[1]).toContain("rollback in 0mins")
      expect(device.hostname()).toBe("sw1")
    })
  )

  it.effect("is gone after a restart, or stays for good, as the switch does", () =>
    Effect.gen(function* () {
      for (const [restartWhilePending, hostname] of [
        ["rolledBack", "sw1"],
        ["kept", "sw2"]
      ] as const) {
        const one = yield* Effect.scoped(
          Effect.gen(function* () {
            const { device, netconf } = yield* oneJunos({ junos: { restartWhilePending } })
            const session = yield* netconf
            yield* Effect.promise(() => pending(session))
            yield* device.reload
            return device.hostname()
          })
        )
        expect(one).toBe(hostname)
      }
    })
  )

  it.effect("outlives a lost session, and ends with a session that is killed", () =>
    scene({}, async (session, { device, host, port }) => {
      await pending(session)
      session.close()
      await until(() => device.sessions().length === 0)
      expect(device.timer()?.session).toBe("job-1")
      const other = await openNetconf(host, port)
      await other.rpc(timed(LONG, "job-2"))
      const killer = await openNetconf(host, port)
      const id = /<session-id>(\d+)/.exec(other.hello)?.[1] ?? ""
      expect(await killer.rpc(`<kill-session><session-id>${id}</session-id></kill-session>`)).toContain("<ok/>")
      expect(device.timer()).toBeUndefined()
      expect(device.hostname()).toBe("sw1")
      killer.close()
    })
  )

  it.effect("is refused on a private copy", () =>
    scene({}, async (session) => {
      expect(await session.rpc("<open-configuration><private/></open-configuration>")).toContain("<ok/>")
      await session.rpc(set("set system host-name mine"))
      expect(await session.rpc(timed(1))).toContain("confirmed commit is not supported in private mode")
    })
  )
})

describe("the candidate", () => {
  it.effect("is shared by all who have no lock", () =>
    scene({}, async (session, { device, host, port }) => {
      await session.rpc(set("set system host-name theirs"))
      const other = await openNetconf(host, port)
      expect(await other.rpc(COMPARE)).toContain("+  host-name theirs;")
      await other.rpc(set("set vlans v20 vlan-id 20"))
      await other.rpc(COMMIT)
      expect(device.hostname()).toBe("theirs")
      expect(device.running()).toContain("v20 {")
      other.close()
    })
  )

  it.effect("names who holds the lock, and refuses edits and commits of others", () =>
    scene({}, async (session, { host, port }) => {
      const other = await openNetconf(host, port)
      expect(await other.rpc(LOCK)).toContain("<ok/>")
      for (const body of [LOCK, set("set system host-name x"), COMMIT, "<discard-changes/>"])
        expect(await session.rpc(body)).toMatch(
          /configuration database locked by:\n {2}admin terminal {2}\(pid \d+\) on since .*, idle .*\n {6}exclusive/
        )
      expect(await session.rpc("<get-database-status-information/>")).toContain("<exclusive/>")
      other.close()
      await until(async () => (await session.rpc(LOCK)).includes("<ok/>"))
    })
  )

  it.effect("cannot be locked while it has changes of somebody", () =>
    scene({}, async (session, { host, port }) => {
      await session.rpc(set("set system host-name theirs"))
      const other = await openNetconf(host, port)
      expect(await other.rpc(LOCK)).toContain("configuration database modified")
      other.close()
    })
  )

  it.effect("loses locked changes with their session, and keeps others", () =>
    scene({}, async (session, { device, host, port }) => {
      const other = await openNetconf(host, port)
      await other.rpc(LOCK)
      await other.rpc(set("set system host-name lost"))
      other.close()
      await until(() => device.sessions().length === 0)
      expect(await session.rpc(COMPARE)).not.toContain("lost")
      const third = await openNetconf(host, port)
      await third.rpc(set("set system host-name stays"))
      third.close()
      await until(async () => (await session.rpc(COMPARE)).includes("stays"))
    })
  )

  it.effect("has private copies whose commits come on top of those of others", () =>
    scene({}, async (session, { device, host, port }) => {
      await session.rpc("<open-configuration><private/></open-configuration>")
      await session.rpc(set("set vlans mine vlan-id 30"))
      const other = await openNetconf(host, port)
      expect(await other.rpc(COMPARE)).not.toContain("mine")
      await other.rpc(set("set vlans theirs vlan-id 31"))
      await other.rpc(COMMIT)
      await session.rpc(COMMIT)
      expect(device.running()).toContain("mine {")
      expect(device.running()).toContain("theirs {")
      other.close()
    })
  )

  it.effect("keeps the good lines of a load that failed", () =>
    scene({}, async (session) => {
      const answer = await session.rpc(load("system { host-name good; nothing 1; }", "merge"))
      expect(answer).toContain("<load-error-count>1</load-error-count>")
      expect(answer).toMatch(/<bad-element>\nnothing\n<\/bad-element>/)
      expect(answer).not.toContain("<ok/>")
      expect(await session.rpc(COMPARE)).toContain("+  host-name good;")
    })
  )

  it.effect("is replaced by update and override, and only added to by merge and replace", () =>
    scene({}, async (session, { device }) => {
      const text =
        'system { host-name only; root-authentication { encrypted-password "$6$a$b"; } services { ssh; netconf { ssh; } } } interfaces { irb { unit 600 { family inet { address 10.9.2.1/24; } } } }'
      for (const action of ["merge", "replace"]) {
        await session.rpc(load(text, action))
        expect(await session.rpc(COMPARE)).not.toContain("-   ")
        await session.rpc("<discard-changes/>")
      }
      const rereads = async (action: string) => {
        await session.rpc(load(text, action))
        expect(await session.rpc(COMPARE)).toContain("-  vlans {")
        await session.rpc(COMMIT)
        const [last] = device.commits().slice(-1)
        await session.rpc('<load-configuration rollback="1"/>')
        await session.rpc(COMMIT)
        return last?.rereads
      }
      expect(await rereads("update")).toBeUndefined()
      expect(device.running()).toContain("vlans {")
      expect(await rereads("override")).toBe(true)
    })
  )

  it.effect("loads older configurations of the history and the rescue one", () =>
    scene({}, async (session, { device }) => {
      expect(await session.rpc('<load-configuration rescue="rescue"/>')).toContain("rescue.conf.gz: No such file")
      await session.rpc("<request-save-rescue-configuration/>")
      for (let number = 0; number < 52; number++) {
        await session.rpc(set(`set system host-name n${number}`))
        await session.rpc(COMMIT)
      }
      expect(await historyOf(session)).toHaveLength(50)
      await session.rpc('<load-configuration rollback="49"/>')
      await session.rpc(COMMIT)
      expect(device.hostname()).toBe("n2")
      expect(await session.rpc('<load-configuration rollback="50"/>')).toContain("juniper.conf.50.gz: No such file")
      await session.rpc('<load-configuration rescue="rescue"/>')
      await session.rpc(COMMIT)
      expect(device.hostname()).toBe("sw1")
    })
  )

  it.effect("is not committed without a login of root, and not with names that do not exist", () =>
    scene({}, async (session, { device }) => {
      for (const [lines, message] of [
        ["delete system root-authentication", "Missing mandatory statement"],
        ["set apply-groups nothing", "Group 'nothing' is not defined"],
        ["set vlans v10 l3-interface irb.77", "'irb.77' is not defined"],
        ["set interfaces ge-0/0/1 ether-options 802.3ad ae0", "logical unit is not allowed on aggregated links"],
        ["set vlans other vlan-id 10", "duplicate vlan-id"],
        ["set interfaces ge-0/0/1 unit 0 family inet", "mutually exclusive"],
        ["set interfaces irb unit 600 family inet filter input nothing", "Referenced filter 'nothing' is not defined"]
      ] as const) {
        await session.rpc(set(lines))
        expect(await session.rpc(COMMIT)).toContain(message)
        await session.rpc("<discard-changes/>")
      }
      expect(device.commits()).toEqual([])
    })
  )

  it.effect("takes XML, and a part of the standard's edit", () =>
    scene({}, async (session, { device }) => {
      const answer = await session.rpc(
        "<edit-config><target><candidate/></target><config><configuration><vlans><vlan><name>x</name><vlan-id>77</vlan-id></vlan>" +
          '<vlan delete="delete"><name>nothing</name></vlan></vlans></configuration></config></edit-config>'
      )
      expect(answer).toContain("<error-severity>warning</error-severity>")
      expect(answer).toContain("<ok/>")
      await session.rpc("<commit/>")
      expect(device.running()).toContain("    x {\n        vlan-id 77;\n")
      const xml = await session.rpc("<get-config><source><running/></source></get-config>")
      expect(xml).toContain("<vlan>\n<name>x</name>\n<vlan-id>77</vlan-id>\n</vlan>")
    })
  )

  it.effect("is shown with groups as written, or expanded", () =>
    scene({}, async (session) => {
      await session.rpc(set("set groups g vlans &lt;v*&gt; description grouped\nset vlans apply-groups g"))
      const shown = (more: string) => session.rpc(`<get-configuration format="text" ${more}/>`)
      expect(await shown("")).toContain("apply-groups g;")
      expect(await shown('inherit="inherit" groups="groups"')).toMatch(/from group 'g'\n *##\n *description grouped;/)
    })
  )

  it.effect("needs a class that may change it", () =>
    scene(
      {
        users: { admin: "admin", looker: "looker" },
        "startup-config": junosConfig("sw1", "10.9.2.1").replace(
          "        user admin {",
          "        user looker {\n            class read-only;\n        }\n        user admin {"
        )
      },
      async (_session, { device, host, port }) => {
        const client = await connect({ host, port, username: "looker", password: "looker" })
        const text = await exec(client, "show configuration")
        expect(text).toContain("/* SECRET-DATA */")
        expect(await exec(client, "configure")).toContain("syntax error")
        expect(device.commits()).toEqual([])
        client.destroy()
      }
    )
  )
})
