import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import type { Fault } from "../../../src/lab/Faults.ts"
import { makeLab } from "../../../src/lab/Lab.ts"
import * as Topology from "../../../src/lab/Topology.ts"
import { seconds } from "../../support/Patience.ts"
import { connect, openShell, type Shell } from "../../support/lab/Client.ts"
import { junosConfig, type Netconf, oneJunos, type OneJunos, openNetconf } from "../../support/lab/JunosCampus.ts"

const scene = (node: Partial<Topology.Node>, body: (shell: Shell, one: OneJunos) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneJunos(node)
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

/** Types lines and returns the answers, each without the line with its place. */
const asked = async (shell: Shell, ...lines: ReadonlyArray<string>) => {
  const answers: Array<string> = []
  for (const line of lines)
    answers.push((await shell.ask(line)).replace(/\n*(?:\{master(?::0)?\})?(?:\[edit[^\]]*\])?\n$/, "\n"))
  return answers
}

const until = (test: () => boolean) =>
  vi.waitFor(() => expect(test()).toBe(true), { timeout: seconds(20), interval: 20 })

describe("the command line of a simulated Junos", () => {
  it.effect("shows the configuration, its parts, and both as set lines", () =>
    scene({}, async (shell) => {
      const [whole = "", part, set] = await asked(
        shell,
        "show configuration",
        "show configuration vlans v10",
        "show configuration vlans | display set"
      )
      expect(whole).toMatch(/^## Last commit: .* by root\nsystem \{/)
      expect(whole).toContain("## SECRET-DATA")
      expect(part).toBe("vlan-id 10;\n")
      expect(set).toBe("set vlans mgmt vlan-id 600\nset vlans mgmt l3-interface irb.600\nset vlans v10 vlan-id 10\n")
    })
  )

  it.effect("changes, compares, commits with a comment, and goes back", () =>
    scene({}, async (shell, { device }) => {
      const [, , diff, , rolledBack] = await asked(
        shell,
        "configure",
        "set system host-name new",
        "show | compare",
        'commit comment "my change"',
        "rollback 1"
      )
      expect(diff).toBe("[edit system]\n-  host-name sw1;\n+  host-name new;\n")
      expect(device.hostname()).toBe("new")
      expect(rolledBack).toBe("load complete\n")
      const [commit, , history = ""] = await asked(shell, "commit and-quit", "", "show system commit")
      expect(commit).toContain("commit complete\nExiting configuration mode\n")
      expect(device.hostname()).toBe("sw1")
      expect(history).toMatch(/^0 .* by admin via cli\n1 .* by admin via cli\n {4}my change\n2 .* by root via other\n/)
    })
  )

  it.effect("has an exclusive mode that refuses others by name, and discards at its end", () =>
    scene({}, async (shell, { device, host, port }) => {
      const [entered] = await asked(shell, "configure exclusive")
      expect(entered).toContain("warning: uncommitted changes will be discarded on exit\nEntering configuration mode\n")
      const other = await openShell({ host, port })
      const [refused] = await asked(other, "configure exclusive")
      expect(refused).toMatch(
        /error: configuration database locked by:\n {2}admin terminal pts\/\d+ \(pid \d+\) on since/
      )
      await asked(shell, "set system host-name lost")
      shell.type("exit\n")
      await shell.until(/Discard uncommitted changes\? \[yes,no\] \(yes\) $/)
      shell.type("yes\n")
      await shell.until(/Exiting configuration mode[^]*> $/)
      expect(device.sessions()).toEqual([])
      const [, clean] = await asked(other, "configure", "show | compare")
      expect(clean).toBe("\n")
      other.close()
    })
  )

  it.effect("says who else is in, and that somebody has changed something", () =>
    scene({}, async (shell, { host, port }) => {
      await asked(shell, "configure", "set system host-name theirs")
      const other = await openShell({ host, port })
      const [entered] = await asked(other, "configure")
      expect(entered).toMatch(/Users currently editing the configuration:\n {2}admin terminal pts\/\d+/)
      expect(entered).toContain("The configuration has been changed but not committed")
      const [refused] = await asked(await openShell({ host, port }), "configure private")
      expect(refused).toContain("configuration database modified")
      other.close()
    })
  )

  it.effect("commits for some minutes, tells everybody of the rollback, and shows that it is pending", () =>
    scene({}, async (shell, { device }) => {
      const [, , commit] = await asked(shell, "configure", "set system host-name new", "commit confirmed 20")
      expect(commit).toContain("commit confirmed will be automatically rolled back in 20 minutes unless confirmed\n")
      expect(commit).toContain("commit complete")
      const [history] = await asked(shell, "run show system commit")
      expect(history).toMatch(/via cli commit confirmed, rollback in 20mins\n {4}rollback pending\n/)
      await shell.until(/Commit was not confirmed; automatic rollback complete\./)
      expect(device.hostname()).toBe("sw1")
    })
  )

  it.effect("is confirmed by a check in any session", () =>
    scene({}, async (shell, { device, host, port }) => {
      await asked(shell, "configure", "set system host-name new", "commit confirmed 5000")
      const other = await openShell({ host, port })
      const [, check] = await asked(other, "configure", "commit check")
      expect(check).toContain("configuration check succeeds")
      expect(device.timer()).toBeUndefined()
      expect(device.hostname()).toBe("new")
      other.close()
    })
  )

  it.effect("loads a text from the terminal and names what is wrong with it", () =>
    scene({}, async (shell, { device }) => {
      await asked(shell, "configure")
      shell.type("load merge terminal\n")
      await shell.until(/\[Type \^D at a new line to end input\]\n$/)
      shell.type("vlans { v77 { vlan-id 77; } }\nsystem { nothing 1; }\n\u0004")
      const answer = await shell.until(/load complete \(1 errors\)[^]*# $/)
      expect(answer).toContain("'nothing'\n    error: syntax error")
      await asked(shell, "commit")
      expect(device.running()).toContain("v77 {")
    })
  )

  it.effect("refuses commands that it does not know", () =>
    scene({}, async (shell) => {
      expect(await asked(shell, "nothing", "show nothing", "configure", "set nothing")).toEqual([
        expect.stringContaining("unknown command."),
        expect.stringContaining("syntax error."),
        expect.stringContaining("Entering configuration mode"),
        expect.stringContaining("syntax error.")
      ])
    })
  )

  it.effect("restarts with its history, and from the factory by DHCP after a zeroize", () =>
    Effect.gen(function* () {
      const leases: Array<string> = []
      const one = yield* oneJunos({}, { onLease: ({ platform }) => Effect.sync(() => void leases.push(platform)) })
      const { device, host, port } = one
      const shell = yield* one.shell
      yield* Effect.promise(() => asked(shell, "configure", "set system host-name new", "commit"))
      yield* device.reload
      const again = yield* one.shell
      expect(device.hostname()).toBe("new")
      expect((yield* Effect.promise(() => again.ask("show system commit"))).match(/^\d+ /gm)).toHaveLength(2)
      yield* Effect.promise(async () => {
        again.type("request system zeroize\n")
        await again.until(/\[yes,no\] \(no\) $/)
        again.type("yes\n")
        await again.closed
        await until(() => device.power() === "on")
      })
      yield* device.whenOn
      expect(new Set(leases)).toEqual(new Set(["junos"]))
      expect(device.hostname()).toBe("Amnesiac")
      expect(device.lease()).toMatch(/^10\.255\./)
      yield* Effect.promise(() => expect(connect({ host, port, readyTimeout: 2000 })).rejects.toThrow())
      const fresh = yield* Effect.promise(() => openNetconf(device.addresses()[0] ?? "", port))
      expect(yield* Effect.promise(() => fresh.rpc("<get-system-information/>"))).toContain("Amnesiac")
      fresh.close()
    })
  )
})

const set = (lines: string) =>
  `<load-configuration action="set" format="text"><configuration-set>${lines}</configuration-set></load-configuration>`
const CANDIDATE = '<get-configuration format="text"/>'
const COMMIT = "<commit-configuration/>"
const timed = (minutes: number) =>
  `<commit-configuration><confirmed/><confirm-timeout>${minutes}</confirm-timeout><log>job-1</log></commit-configuration>`

const withFaults = (faults: ReadonlyArray<Fault>, body: (session: Netconf, one: OneJunos) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneJunos()
    const session = yield* one.netconf
    for (const fault of faults) one.device.setFault(fault)
    yield* Effect.promise(() => body(session, one))
    session.close()
  })

const lines = "set system host-name new\nset vlans v77 vlan-id 77"

describe("faults of a simulated Junos", () => {
  it.effect("cuts before a commit, which has not happened then, and after one, which has", () =>
    withFaults([], async (session, { device, host, port }) => {
      device.setFault({ kind: "cut", step: "commitTimer", when: "before", times: 1 })
      await session.rpc(set(lines))
      session.send(timed(5000))
      await session.closed
      expect(device.hostname()).toBe("sw1")
      device.setFault({ kind: "cut", step: "commitTimer", when: "after", times: 1 })
      const other = await openNetconf(host, port)
      other.send(timed(5000))
      await other.closed
      expect(device.hostname()).toBe("new")
      expect(device.timer()?.session).toBe("job-1")
    })
  )

  it.effect("frees the lock of a session that is cut, and throws away what it had loaded", () =>
    withFaults([{ kind: "cut", step: "commit", times: 1 }], async (session, { device, host, port }) => {
      await session.rpc("<lock-configuration/>")
      await session.rpc(set(lines))
      session.send(COMMIT)
      await session.closed
      await until(() => device.sessions().length === 0)
      const other = await openNetconf(host, port)
      expect(await other.rpc("<lock-configuration/>")).toContain("<ok/>")
      expect(await other.rpc(CANDIDATE)).toContain("host-name sw1;")
      other.close()
    })
  )

  it.effect("is silent, and keeps the connection and the lock", () =>
    withFaults([{ kind: "silent", step: "commit" }], async (session, { device }) => {
      await session.rpc("<lock-configuration/>")
      session.send(COMMIT)
      session.send(COMMIT)
      await until(
        () =>
          device.faults().length === 1 && device.commands().some(({ command }) => command === "commit-configuration")
      )
      expect(session.rest()).not.toContain("commit-results")
      expect(device.sessions()).toMatchObject([{ state: "exclusive" }])
    })
  )

  it.effect("answers ok and applies nothing", () =>
    withFaults([{ kind: "lie", step: "commit", times: 1 }], async (session, { device }) => {
      await session.rpc(set(lines))
      expect(await session.rpc(COMMIT)).toContain("<ok/>")
      expect(device.hostname()).toBe("sw1")
      await session.rpc(COMMIT)
      expect(device.hostname()).toBe("new")
    })
  )

  it.effect("refuses, by a line of the candidate, or because the disk is full", () =>
    withFaults([], async (session, { device }) => {
      device.setFault({ kind: "reject", pattern: "v77", message: "invalid value", times: 1 })
      expect(await session.rpc(set(lines))).toMatch(/<bad-element>\nset vlans v77 vlan-id 77\n[^]*invalid value/)
      device.setFault({ kind: "fullFlash", times: 1 })
      expect(await session.rpc(COMMIT)).toContain("No space left on device")
      expect(device.hostname()).toBe("sw1")
    })
  )

  it.effect("has no timer, or one that never ends, or one that ends at once", () =>
    withFaults([], async (session, { device }) => {
      device.setFault({ kind: "noTimer", times: 1 })
      await session.rpc(set("set system host-name a"))
      await session.rpc(timed(1))
      expect(device.timer()).toBeUndefined()
      expect(device.hostname()).toBe("a")
      device.setFault({ kind: "timerCancelled", times: 1 })
      await session.rpc(set("set system host-name b"))
      await session.rpc(timed(5000))
      await until(() => device.hostname() === "a")
      device.setFault({ kind: "timerIgnored", times: 1 })
      await session.rpc(set("set system host-name c"))
      expect(await session.rpc(timed(0))).toContain("not within range")
      await session.rpc(timed(1))
      await until(() => device.timer()?.remainingMs === 0)
      expect(device.hostname()).toBe("c")
    })
  )

  it.effect("answers a confirmation, shows no mark, and rolls back all the same", () =>
    withFaults([{ kind: "confirmIgnored", times: 1 }], async (session, { device }) => {
      await session.rpc(set(lines))
      await session.rpc(timed(10))
      expect(await session.rpc("<commit-configuration><check/></commit-configuration>")).toContain("check-success")
      expect(await session.rpc("<get-commit-information/>")).not.toContain("rollback pending")
      await until(() => device.hostname() === "sw1")
    })
  )

  it.effect("states another candidate, or runs another one than it states", () =>
    withFaults([], async (session, { device }) => {
      await session.rpc(set(lines))
      device.setFault({ kind: "misstates", how: "old", times: 1 })
      expect(await session.rpc(CANDIDATE)).toContain("host-name sw1;")
      device.setFault({ kind: "misstates", how: "lacksLine", times: 1 })
      expect(await session.rpc(CANDIDATE)).not.toContain("vlan-id 77;")
      expect(await session.rpc(CANDIDATE)).toContain("vlan-id 77;")
      device.setFault({ kind: "runsOther", how: "lacksLastLine", times: 1 })
      await session.rpc(COMMIT)
      expect(device.hostname()).toBe("new")
      expect(device.running()).not.toContain("vlan-id 77;")
    })
  )

  it.effect("sends its answers in small pieces", () =>
    withFaults([{ kind: "chunks" }], async (session) => {
      expect(await session.rpc("<get-system-information/>")).toContain("<host-name>sw1</host-name>")
    })
  )

  it.effect("has an operator's change in its history", () =>
    withFaults([], async (session, { device }) => {
      device.configure("set system host-name by-hand")
      const history = await session.rpc("<get-commit-information/>")
      expect(history.split("<commit-history>")[1]).toContain("<user>operator</user>")
      expect(device.startup()).toContain("host-name by-hand;")
    })
  )

  it.effect("cuts texts short", () =>
    withFaults([{ kind: "truncate", step: "showRunning", lines: 3, times: 1 }], async (session) => {
      const text = await session.rpc('<get-configuration database="committed" format="text"/>')
      expect(text).toContain("system {\n    host-name sw1;\n</configuration-text>")
    })
  )

  it.effect("is locked by somebody else, or runs somebody else's timer", () =>
    withFaults([], async (session, { device }) => {
      expect(device.foreignSession("night-shift")).toBeUndefined()
      expect(await session.rpc("<lock-configuration/>")).toContain("night-shift terminal pts/9")
      expect(device.sessions()).toMatchObject([{ state: "exclusive", user: "night-shift" }])
      expect(device.foreignSession("their-change", 600)).toBeUndefined()
      const history = await session.rpc("<get-commit-information/>")
      expect(history).toMatch(
        /<user>operator<\/user>[^]*rollback in 10mins[^]*<log>their-change<\/log>\n<commit-confirmed>/
      )
    })
  )

  it.effect("refuses the right password, and sends what is no XML", () =>
    withFaults([{ kind: "garbage", step: "showVersion", times: 1 }], async (session, { device, host, port }) => {
      expect(await session.rpc("<get-software-information/>")).toContain("corrupted")
      device.setFault({ kind: "wrongPassword", times: 1 })
      await expect(openNetconf(host, port)).rejects.toThrow("authentication methods failed")
    })
  )
})

const MIXED = `
name: mixed
topology:
  defaults: { minuteMs: 50 }
  nodes:
    sw1: { kind: vr-vjunosswitch, personality: junosVirtualChassis }
    sw2: { platform: junos, model: QFX5120-48Y }
    acc1: { kind: ceos }
  links:
    - endpoints: ["sw1:eth1", "sw2:xe-0/0/0"]
    - endpoints: ["sw1:ge-1/0/0", "acc1:eth1"]
`

describe("a topology with Junos", () => {
  it.effect("has Junos by kind or platform, with the names of its ports", () =>
    Effect.gen(function* () {
      const lab = yield* makeLab(yield* Topology.fromText(MIXED))
      const [sw1, sw2] = [yield* lab.get("sw1"), yield* lab.get("sw2")]
      expect(sw1.hardware().ports).toContain("ge-1/0/47")
      expect(sw2.hardware().model).toBe("QFX5120-48Y")
      expect(sw2.hardware().ports).toContain("xe-0/0/0")
      sw1.configure(junosConfig("sw1", "10.9.2.1"), { replace: true })
      expect(sw1.addresses()).toEqual(["127.9.2.1"])
      expect(lab.uplinks("sw1")).toEqual([])
    })
  )

  it.effect("names personalities that do not exist", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Topology.fromText(MIXED.replace("junosVirtualChassis", "junosNothing")))
      expect(failure.message).toContain("topology.nodes.sw1.personality: not a personality; there are")
      expect(failure.message).toContain("junosDualEngine")
    })
  )

  it.effect("refuses settings of another platform", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        Topology.fromText(
          MIXED.replace("junosVirtualChassis", "salting").replace("kind: ceos", "kind: ceos, junos: { members: 2 }")
        )
      )
      expect(failure.message).toContain("topology.nodes.sw1.personality: salting is one of another platform than junos")
      expect(failure.message).toContain("topology.nodes.acc1.junos: only a Junos switch has these quirks")
    })
  )
})
