import { createServer } from "node:http"
import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { oneSwitch, type OneSwitch } from "../../support/lab/Campus.ts"
import { connect, exec, type Shell } from "../../support/lab/Client.ts"

const withShell = (body: (shell: Shell, one: OneSwitch) => Promise<void>, node = {}) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch(node)
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

const IMAGE = Buffer.alloc(600_000, "eos")

const fileServer = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
        const server = createServer((request, response) => {
          if (request.url === "/firmware/EOS-4.32.2F.swi") response.end(IMAGE)
          else response.writeHead(404).end()
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" ? address?.port : 0
          resolve({ url: `http://127.0.0.1:${port}/firmware`, close: () => server.close() })
        })
      })
  ),
  (server) => Effect.sync(server.close)
)

describe("files of a simulated switch", () => {
  it.effect("downloads firmware, checks and activates it", () =>
    Effect.gen(function* () {
      const { url } = yield* fileServer
      yield* withShell(async (shell, { device }) => {
        expect(await shell.ask(`copy ${url}/EOS-4.32.2F.swi flash:`)).toBe("Copy completed successfully.\n")
        expect(device.files().get("EOS-4.32.2F.swi")?.size).toBe(IMAGE.length)
        expect(await shell.ask("dir flash:")).toMatch(/-rw- +600000 .* EOS-4\.32\.2F\.swi\n/)
        const md5 = createHash("md5").update(IMAGE).digest("hex")
        const verified = await shell.ask("verify /md5 flash:EOS-4.32.2F.swi")
        expect(verified).toBe(`verify /md5 (flash:EOS-4.32.2F.swi) = ${md5}\n`)
        expect(await shell.ask(`copy ${url}/missing.swi vrf MGMT flash:`)).toMatch(/^get: Access failed: 404 Not Found/)
      })
    })
  )

  it.effect("refuses a file that does not fit, and makes room as drivers request", () =>
    Effect.gen(function* () {
      const { url } = yield* fileServer
      yield* withShell(
        async (shell, { device }) => {
          device.putFile("EOS-4.20.1F.swi", Buffer.alloc(300_000))
          const free = "bash timeout 5 df /mnt/flash | awk '{print $4}'"
          expect(await shell.ask(free)).toMatch(/^Available\n\d+\n$/)
          expect(await shell.ask(`copy ${url}/EOS-4.32.2F.swi flash:`)).toMatch(/^% Error copying .*No space left/)
          device.putFile("EOS-4.30.1F.swi", Buffer.alloc(10))
          await shell.ask("configure")
          await shell.ask("boot system flash:EOS-4.30.1F.swi")
          await shell.ask("end")
          const clean =
            'bash timeout 30 ls -t /mnt/flash/*.swi | tail -n +2 | grep -v `cut -d"/" -f2 /mnt/flash/boot-config` | xargs rm -f'
          expect(await shell.ask(clean)).toBe("")
          expect([...device.files().keys()]).toEqual(["EOS-4.30.1F.swi"])
          expect(await shell.ask(`copy ${url}/EOS-4.32.2F.swi flash:`)).toBe("Copy completed successfully.\n")
        },
        { flashBytes: 900_000 }
      )
    })
  )

  it.effect("takes files by scp, stores certificates and keys, and deletes them", () =>
    withShell(async (shell, { device, host, port }) => {
      const client = await connect({ host, port })
      const answer = await exec(client, "scp -t /mnt/flash/cnaasnms.crt", (channel) => {
        channel.write("C0644 5 cnaasnms.crt\n")
        channel.write("12345\0")
        channel.end()
      })
      expect(answer).toBe("\0\0\0")
      expect(device.files().get("cnaasnms.crt")?.content?.toString()).toBe("12345")
      expect(await shell.ask("copy flash:cnaasnms.crt certificate:")).toBe("Copy completed successfully.\n")
      expect(await shell.ask("copy flash:cnaasnms.crt sslkey:k.key")).toBe("Copy completed successfully.\n")
      expect([...device.certificates().keys(), ...device.keys().keys()]).toEqual(["cnaasnms.crt", "k.key"])
      expect(await shell.ask("delete flash:cnaasnms.crt")).toBe("")
      expect(await shell.ask("delete certificate:cnaasnms.crt")).toBe("")
      expect(await shell.ask("delete certificate:cnaasnms.crt")).toMatch(/^% Error deleting/)
      expect(device.files().has("cnaasnms.crt")).toBe(false)
      client.destroy()
    })
  )

  it.effect("refuses an scp that does not fit", () =>
    withShell(
      async (_shell, { host, port }) => {
        const client = await connect({ host, port })
        const answer = await exec(client, "scp -t /mnt/flash/x", (channel) => channel.write("C0644 5000 x\n"))
        expect(answer).toContain("No space left on device")
        client.destroy()
      },
      { flashBytes: 1000 }
    )
  )

  it.effect("serves sftp if the node says so", () =>
    withShell(
      async (_shell, { host, port, device }) => {
        const client = await connect({ host, port })
        await new Promise<void>((resolve, reject) =>
          client.sftp((error, sftp) => {
            if (error !== undefined) return reject(error)
            sftp.writeFile("/mnt/flash/by-sftp", "hello", (failed) => (failed ? reject(failed) : resolve()))
          })
        )
        expect(device.files().get("by-sftp")?.content?.toString()).toBe("hello")
        client.destroy()
      },
      { sftp: true }
    )
  )

  it.effect("writes small files from bash and shows them", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("bash echo aGVsbG8= | base64 -d > /mnt/flash/a.txt")
      expect(device.files().get("a.txt")?.content?.toString()).toBe("hello")
      shell.type("bash\n")
      await shell.until(/\]\$ $/)
      shell.type("cat > /mnt/flash/b.txt <<'DONE'\none\ntwo\nDONE\n")
      await shell.until(/DONE\n.*\]\$ $/)
      shell.type("cat /mnt/flash/b.txt\n")
      expect(await shell.until(/\]\$ $/)).toContain("\none\ntwo\n")
      shell.type("exit\n")
      await shell.until(/acc1#$/)
      expect(await shell.ask("bash cat /mnt/flash/boot-config")).toBe("SWI=flash:/EOS-4.31.4M.swi\n")
    })
  )

  it.effect("saves and erases the startup configuration, asking where the device asks", () =>
    withShell(async (shell, { device }) => {
      expect(await shell.ask("copy startup-config flash:rollback-0")).toBe("Copy completed successfully.\n")
      expect(device.files().get("rollback-0")?.content?.toString()).toContain("hostname acc1\n")
      shell.type("write erase\n")
      await shell.until(/\[confirm\]$/)
      shell.type("\n")
      await shell.until(/#$/)
      expect(device.startup()).toBeUndefined()
      await shell.ask("write")
      expect(device.startup()).toContain("hostname acc1\n")
      await shell.ask("write erase now")
      expect(device.startup()).toBeUndefined()
    })
  )

  it.effect("prints bracketed-paste codes around bash output from EOS 4.32 on", () =>
    withShell(
      async (shell) => {
        const answer = await shell.ask("bash timeout 5 df /mnt/flash | awk '{print $4}'")
        expect(answer).toMatch(/^.\[\?2004h.\[\?2004l\nAvailable\n\d+\n$/)
      },
      { version: "4.32.2F" }
    )
  )
})
