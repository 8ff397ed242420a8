/**
 * Logins on real routers with OpenSSH (docs/frr.md#what-a-switch-needs): accounts, shells, and settings of the SSH server as
 * sites have them. One router has all of them, each SSH server on a port of its own.
 */
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { existsSync } from "node:fs"
import type { DriverSession, DriverTarget } from "../../../src/drivers/Driver.ts"
import { type DriverError, renderError } from "../../../src/drivers/DriverErrors.ts"
import { runToEnd } from "../../../src/fabric/Fabric.ts"
import { addressOf, type FabricPlan, pair } from "../../../src/fabric/FabricPlan.ts"
import { HOOK } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { candidate, makeOneRouter, name } from "./OneRouter.ts"

const PASSWORD = "sesame-4711"
const ADDRESS_6 = "2001:db8:99::11"

/** Other SSH servers of the router: the port, and how each differs. */
const SERVERS = {
  narrow: { port: 2201, lines: ["MaxSessions 1", "Banner /etc/fabric/banner", "PrintMotd yes"] },
  asking: { port: 2202, lines: ["UsePAM yes", "PasswordAuthentication no", "KbdInteractiveAuthentication yes"] },
  old: { port: 2203, lines: ["KexAlgorithms diffie-hellman-group14-sha1", "Ciphers aes128-cbc", "MACs hmac-sha1"] },
  renewed: { port: 2204, lines: ["HostKey /etc/fabric/other-key"] }
} as const

/** The first value of a keyword counts, so what differs comes first. */
const startServer = ({ lines, port }: { readonly lines: ReadonlyArray<string>; readonly port: number }): string =>
  [
    `printf '%s\\n' 'Port ${port}' 'PidFile /run/sshd-${port}.pid' ${lines.map((line) => `'${line}'`).join(" ")} >/etc/ssh/sshd-${port}`,
    `grep -v -e '^Port' -e '^PidFile' ${lines.some((line) => line.startsWith("HostKey")) ? "-e '^HostKey' " : ""}/etc/ssh/sshd_config >>/etc/ssh/sshd-${port}`,
    `/usr/sbin/sshd -f /etc/ssh/sshd-${port}`
  ].join("\n")

const account = (user: string, shell: string): string =>
  `useradd -m -s ${shell} ${user}\nprintf '%s:%s\\n' ${user} ${PASSWORD} | chpasswd -c SHA512`

const accounts = [
  account("admin", "/bin/bash"),
  "mkdir -p /etc/sudoers.d",
  "printf 'admin ALL=(ALL) NOPASSWD: ALL\\n' >/etc/sudoers.d/admin",
  "chmod 440 /etc/sudoers.d/admin",
  account("plain", "/bin/sh"),
  account("routing", "/usr/bin/vtysh"),
  "usermod -aG frrvty routing",
  account("nobody2", "/usr/sbin/nologin"),
  // root's own shell talks too, and leaves the line open
  "usermod -s /bin/bash root",
  "printf 'echo Welcome to the campus\\necho Mind the gap >&2\\nprintf \"0 \"\\n' >/root/.bashrc",
  "cp /root/.bashrc /home/admin/.bashrc",
  "printf 'Authorised people only\\n' | tee /etc/fabric/banner >/etc/motd",
  "printf 'auth required pam_unix.so\\naccount required pam_permit.so\\nsession required pam_permit.so\\n' >/etc/pam.d/sshd",
  "ssh-keygen -q -t ed25519 -N '' -f /etc/fabric/other-key"
].join("\n")

const plan: FabricPlan = {
  ...pair,
  nodes: pair.nodes.map((node) =>
    node.name === name
      ? {
          ...node,
          files: [
            ...node.files.map(({ path, text }) =>
              path === "/etc/frr/frr.conf"
                ? { path, text: text.replace(/( ip address .*)/, `$1\n ipv6 address ${ADDRESS_6}/64`) }
                : { path, text }
            ),
            { path: "/etc/fabric/start/15-accounts", text: accounts },
            { path: "/etc/fabric/start/55-servers", text: Object.values(SERVERS).map(startServer).join("\n") }
          ]
        }
      : node
  )
}

const make = Effect.gen(function* () {
  const router = yield* makeOneRouter(plan)
  const { driver, fabric, target } = router
  yield* router.startup
  /** The same login on another SSH server of the router. */
  const at = (server: keyof typeof SERVERS) =>
    Effect.map(fabric.reach(addressOf(name), SERVERS[server].port), (port): DriverTarget => ({ ...target, port }))
  const as = (username: string): DriverTarget => ({ ...target, username, password: Redacted.make(PASSWORD) })
  const refusal = (from: DriverTarget) => Effect.map(Effect.scoped(Effect.flip(driver.open(from))), renderError)
  return { ...router, as, at, refusal }
})

class Router extends Context.Service<Router, Effect.Success<typeof make>>()("test/drivers/frr/Router") {
  static readonly layer = Layer.effect(Router, make)
}

/** Reads and changes as any driver does; the running configuration is given. */
const works = Effect.fnUntraced(function* (target: DriverTarget) {
  const { driver } = yield* Router
  const session = yield* driver.open(target)
  expect((yield* session.facts).hostname).toBe(name)
  expect(yield* session.interfaces).toHaveProperty("swp1")
  const text = `${candidate().replace(/( ip address .*)/, `$1\n ipv6 address ${ADDRESS_6}/64`)}`
  const { diff } = yield* session.load({ text, mode: "replace", name: "job1", foreignSessions: 0 })
  expect(diff).toBe("")
  const { sessions } = yield* session.sessions
  yield* session.discard("job1")
  return { hostKey: session.hostKey, user: sessions[0]?.user, running: yield* session.runningConfig }
}, Effect.scoped)

describeReal("a login on a real router", () => {
  layer(Router.layer, { excludeTestServices: true, timeout: HOOK })((it) => {
    it.effect("a login as root works behind a shell that prints messages", () =>
      Effect.gen(function* () {
        const { target } = yield* Router
        expect(yield* works(target)).toMatchObject({ user: "root" })
      })
    )

    it.effect.skipIf(!existsSync("/usr/bin/sudo"))(
      "a login as a user with sudo but without a password works, and names the user (needs the package sudo)",
      () =>
        Effect.gen(function* () {
          const { as } = yield* Router
          expect(yield* works(as("admin"))).toMatchObject({ user: "admin" })
        })
    )

    it.effect("a login as a user without rights is refused with a sentence", () =>
      Effect.gen(function* () {
        const { as, refusal } = yield* Router
        expect(yield* refusal(as("plain"))).toMatch(
          /ConnectAuthError: not privileged: the login is neither root's nor one that may use sudo for everything without a password \(.*sudo.*\)\n$/
        )
      })
    )

    it.effect("a login with a wrong password is refused", () =>
      Effect.gen(function* () {
        const { as, refusal } = yield* Router
        const told = yield* refusal({ ...as("plain"), password: Redacted.make("another-one") })
        expect(told).toContain("ConnectAuthError: All configured authentication methods failed")
        expect(told).not.toContain("another-one")
      })
    )

    it.effect("a login with the shell vtysh, or without one, is refused by name", () =>
      Effect.gen(function* () {
        const { as, refusal } = yield* Router
        expect(yield* refusal(as("routing"))).toMatch(/ConnectAuthError: the shell of the login is vtysh \(it says "/)
        expect(yield* refusal(as("nobody2"))).toMatch(
          /ConnectAuthError: the shell of the login runs no commands \(it says "This account is currently not available\."\)/
        )
      })
    )

    it.effect("learns the host key, requires it, and is blocked when it has changed", () =>
      Effect.gen(function* () {
        const { at, refusal, target } = yield* Router
        const { hostKey } = yield* works({ ...target, hostKey: { _tag: "learn" } })
        const pinned = { _tag: "pin", fingerprint: hostKey } as const
        expect(yield* works({ ...target, hostKey: pinned })).toMatchObject({ hostKey })
        const told = yield* refusal({ ...(yield* at("renewed")), hostKey: pinned })
        expect(told).toContain(`HostKeyChanged: host key of ${name} changed: pinned ${hostKey}, seen SHA256:`)
      }).pipe(Effect.scoped)
    )

    it.effect("works over IPv6", () =>
      Effect.gen(function* () {
        const { fabric, target } = yield* Router
        yield* runToEnd(
          fabric.inSite(["ip", "-6", "addr", "replace", "2001:db8:99::1/64", "dev", "management", "nodad"])
        )
        const port = yield* fabric.reach(ADDRESS_6, 22, { address: "::1", port: 0 })
        expect((yield* works({ ...target, address: "::1", port })).running).toContain(ADDRESS_6)
      }).pipe(Effect.scoped)
    )

    it.effect("works with one session at a time, a banner and a message of the day", () =>
      Effect.gen(function* () {
        const { at } = yield* Router
        yield* works(yield* at("narrow"))
      }).pipe(Effect.scoped)
    )

    it.effect("works with a password prompt in a dialogue only", () =>
      Effect.gen(function* () {
        const { at } = yield* Router
        yield* works(yield* at("asking"))
      }).pipe(Effect.scoped)
    )

    it.effect("needs the legacy algorithms if the server has no others, and says so", () =>
      Effect.gen(function* () {
        const { at, refusal } = yield* Router
        const old = yield* at("old")
        expect(yield* refusal(old)).toContain("allow it with the setting ssh: {algorithms: legacy}")
        yield* works({ ...old, algorithms: "legacy" })
      }).pipe(Effect.scoped)
    )

    it.effect("works through another router", () =>
      Effect.gen(function* () {
        const { driver, fabric, target } = yield* Router
        const { port: _, ...behind } = target
        const port = yield* fabric.reach(addressOf("core2"), 22)
        const gate = yield* Effect.scoped(driver.open({ ...target, port }))
        const jumpHost = {
          host: "127.0.0.1",
          port,
          username: target.username,
          password: target.password,
          hostKey: gate.hostKey,
          algorithms: "modern"
        } as const
        yield* works({ ...behind, address: addressOf(name), jumpHost })
      }).pipe(Effect.scoped)
    )

    it.effect("works while /tmp is full", () =>
      Effect.gen(function* () {
        const { shell, target } = yield* Router
        yield* shell("cat /dev/zero >/tmp/fill 2>/dev/null; ! (echo more >/tmp/more) 2>/dev/null")
        yield* works(target)
        yield* shell("rm -f /tmp/fill /tmp/more")
      })
    )

    for (const [program, pack, verb] of [
      ["/usr/sbin/lldpcli", "lldpd", ({ lldp }: DriverSession) => lldp],
      [
        "/usr/lib/frr/frr-reload.py",
        "frr-pythontools",
        ({ load }: DriverSession) => load({ text: candidate(), mode: "replace", name: "job1" })
      ],
      ["/usr/bin/vtysh", "frr", ({ facts }: DriverSession) => facts]
    ] as const) {
      it.effect(`names ${program} and its package when the router lacks it`, () =>
        Effect.gen(function* () {
          const { driver, shell, target } = yield* Router
          const without = Effect.acquireRelease(shell(`mv ${program} ${program}.gone`), () =>
            Effect.orDie(shell(`mv ${program}.gone ${program}`))
          )
          const error = yield* without.pipe(
            Effect.andThen(driver.open(target)),
            Effect.flatMap((session) => Effect.flip(Effect.asVoid<unknown, DriverError, never>(verb(session)))),
            Effect.scoped
          )
          const short = program.slice(program.lastIndexOf("/") + 1)
          expect(renderError(error)).toBe(
            `refused by ${name}: ${short}\nCommandRejected: the switch has no ${short}: install the package ${pack} there\n`
          )
        })
      )
    }
  })
})
