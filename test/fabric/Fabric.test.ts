import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fabric from "../../src/fabric/Fabric.ts"
import { pair, single, usual } from "../../src/fabric/FabricPlan.ts"
import { describeReal } from "../support/RealFabric.ts"

/** The names of a fabric on the machine; other tests create links and namespaces of their own meanwhile. */
const ofAFabric = () =>
  (execFileSync("ip", ["-br", "link"]).toString() + execFileSync("ip", ["netns", "list"]).toString())
    .split("\n")
    .filter((line) => /management|core|swp/.test(line))

const until = <E>(condition: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("100 millis"), until(condition))
  )

describeReal("a real fabric", () => {
  it.live("a fabric has routers that see each other over LLDP, and leaves the machine unchanged", () =>
    Effect.gen(function* () {
      const pid = yield* Effect.gen(function* () {
        const fabric = yield* Fabric.make(pair)
        yield* until(
          Effect.map(fabric.run("core1", "lldpcli show neighbors"), (heard) => heard.includes("SysName:      core2"))
        )
        expect(yield* fabric.run("core2", "hostname; vtysh -c 'show version' | head -n 1")).toMatch(
          /^core2\nFRRouting /
        )
        expect(ofAFabric()).toEqual([])
        return fabric.pid
      }).pipe(Effect.scoped)
      expect(existsSync(`/proc/${pid}`)).toBe(false)
      expect(ofAFabric()).toEqual([])
    })
  )

  it.live("a node keeps its files after a loss of power, and none of its processes", () =>
    Effect.gen(function* () {
      const fabric = yield* Fabric.make(pair)
      yield* fabric.run("core1", "echo kept >/etc/frr/note; echo lost >/run/note; ip addr add 10.1.1.1/32 dev swp1")
      yield* fabric.halt("core1")
      yield* fabric.boot("core1")
      expect(
        yield* fabric.run("core1", "cat /etc/frr/note; ls /run/note 2>/dev/null; ip -br -4 addr show swp1")
      ).not.toMatch(/lost|10\.1\.1\.1/)
      yield* until(
        Effect.map(fabric.run("core1", "ip -br -4 addr show eth0"), (shown) => shown.includes("10.99.0.11/24"))
      )
      expect(yield* fabric.run("core1", "cat /etc/frr/note")).toBe("kept\n")
      expect(existsSync("/etc/frr/note")).toBe(false)
    }).pipe(Effect.scoped)
  )

  it.live("a node is reached through a local port, except while the cable of its management port is out", () =>
    Effect.gen(function* () {
      const fabric = yield* Fabric.make(pair)
      const port = yield* fabric.reach("10.99.0.11", 22)
      const greeting = Fabric.runToEnd(["bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${port}; timeout 2 head -n 1 <&3`])
      yield* until(Effect.map(greeting, (said) => said.startsWith("SSH-2.0")))
      yield* fabric.pull("core1")
      expect((yield* Effect.flip(greeting))._tag).toBe("FabricError")
      yield* fabric.plug("core1")
      yield* until(
        Effect.orElseSucceed(
          Effect.map(greeting, (said) => said.startsWith("SSH-2.0")),
          () => false
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("a fabric ends with the process that built it", () =>
    Effect.gen(function* () {
      const script = `import { Effect } from "effect"
        const { make } = await import("${import.meta.dirname}/../../src/fabric/Fabric.ts")
        const { pair } = await import("${import.meta.dirname}/../../src/fabric/FabricPlan.ts")
        await Effect.runPromise(Effect.scoped(Effect.flatMap(make(pair), ({ pid }) => Effect.andThen(Effect.sync(() => console.log(pid)), Effect.never))))`
      const builder = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
        cwd: `${import.meta.dirname}/../..`,
        stdio: ["ignore", "pipe", "inherit"]
      })
      const pid = yield* Effect.callback<number>((resume) => {
        builder.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(Number(chunk.toString()))))
      })
      expect(existsSync(`/proc/${pid}`)).toBe(true)
      builder.kill("SIGKILL")
      yield* until(Effect.sync(() => !existsSync(`/proc/${pid}`)))
    })
  )

  it.live("a fabric is built completely: cores, distribution routers, a DHCP server and hosts", () =>
    Effect.gen(function* () {
      const fabric = yield* Fabric.make(usual())
      const told = yield* Fabric.runToEnd(Fabric.siteCommand(fabric.pid, ["status"]))
      const nodes = told
        .trim()
        .split("\n")
        .map((line) => line.split(" "))
      expect(nodes.map(([name, state]) => `${name} ${state}`)).toEqual(
        ["core1", "core2", "dhcp", "dist1", "dist2", "dist3", "dist4", "host1", "host2"].map((name) => `${name} up`)
      )
      for (const [name, , kib] of nodes) expect(Number(kib), `KiB of ${name}`).toBeLessThan(100 * 1024)
    }).pipe(Effect.scoped)
  )
})

const env = { PATH: process.env["PATH"] ?? "" }

describeReal("a program in a site", () => {
  it.live(
    "a program sees the site's network, is stopped when its scope ends, and gives the reason if it ended too early",
    () =>
      Effect.gen(function* () {
        const fabric = yield* Fabric.make(single)
        const heard: Array<string> = []
        const shell = (line: string) =>
          Fabric.startProgram(fabric, {
            command: ["sh", "-c", line],
            env,
            ready: "ready",
            onLine: (said) => heard.push(said)
          })
        yield* Effect.scoped(
          shell("trap 'echo told; exit 0' TERM; ip -br addr; echo ready; while :; do sleep 0.1; done")
        )
        expect(heard.join("\n")).toMatch(/^management .*10\.99\.0\.1\/24/m)
        expect(heard.at(-1)).toBe("told")
        const { message } = yield* Effect.scoped(Effect.flip(shell("echo no port; exit 1")))
        expect(message).toContain("no port")
      }).pipe(Effect.scoped)
  )
})
