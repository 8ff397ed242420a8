/** Which switches of a lab a process is connected to, as Linux knows it: a switch cannot tell several servers of one machine apart. */
import { Effect } from "effect"
import * as fs from "node:fs/promises"

/** `0100007F:1F90`, bytes of the address in reverse. */
const parsed = (word: string) => {
  const [address = "", port = ""] = word.split(":")
  const bytes = address.match(/../g) ?? []
  return {
    address: bytes
      .map((byte) => Number.parseInt(byte, 16))
      .toReversed()
      .join("."),
    port: Number.parseInt(port, 16)
  }
}

/** The numbers of its sockets; none when it has ended. */
const socketsOf = async (pid: number): Promise<ReadonlySet<string>> => {
  const folder = `/proc/${pid}/fd`
  const names = await fs.readdir(folder).catch(() => [])
  const links = await Promise.all(names.map((name) => fs.readlink(`${folder}/${name}`).catch(() => "")))
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
}

const ESTABLISHED = "01"

/** The addresses that the process is connected to at this port. */
export const sshAddresses = (pid: number, port: number): Effect.Effect<ReadonlySet<string>> =>
  Effect.promise(async () => {
    const own = await socketsOf(pid)
    const rows = (await fs.readFile("/proc/net/tcp", "utf8")).split("\n").slice(1)
    const far = rows.flatMap((row) => {
      const [, , remote = "", state, , , , , , inode = ""] = row.trim().split(/\s+/)
      return state === ESTABLISHED && own.has(inode) ? [parsed(remote)] : []
    })
    return new Set(far.filter((one) => one.port === port).map(({ address }) => address))
  })
