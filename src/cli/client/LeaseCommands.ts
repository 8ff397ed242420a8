/** `switchyard leases`: leases of DHCP servers that the server did not take (docs/provisioning.md#the-queue). */
import { leaseWords } from "../../domain/words/ServerWords.ts"
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { ask } from "./Server.ts"
import { type Column, format, printRows, reported, said, say } from "./Terminal.ts"

const COLUMNS: ReadonlyArray<Column<Data<"GET /dhcp_leases">["leases"][number]>> = [
  ["ztp_mac", ({ ztp_mac }) => ztp_mac],
  ["dhcp_ip", ({ dhcp_ip }) => dhcp_ip],
  ["platform", ({ platform }) => platform],
  ["outcome", ({ outcome }) => said(leaseWords, outcome)],
  ["since", ({ since }) => since],
  ["host", ({ host }) => host],
  ["message", ({ message }) => message]
]

/** The command. */
export const leases = Command.make("leases", format, ({ csv, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /dhcp_leases")
      const { leases, queues } = answer.data
      yield* printRows({ csv, json }, COLUMNS, leases, "No lease was refused or waits.")
      if (csv || json) return
      for (const { host, reported_at, waiting } of queues) {
        yield* say(`${host || "A DHCP server"} had ${waiting} more to report at ${reported_at}`)
      }
    })
  )
).pipe(Command.withDescription("List leases of DHCP servers that were refused or wait."))
