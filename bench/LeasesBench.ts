/**
 * What a lease costs on the machine of the DHCP server: the processor time of all processes of the hook, from its start to the last report,
 * for leases one at a time, many at once, and many while the server is away, which comes back afterwards. The server of this bench takes
 * everything at once; its own time is not counted. Linux, with perl, which adopts and counts the processes in the background.
 */
import { Console, Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { leaseProgram, makeFolder, waiting } from "../test/dhcp/HookProgram.ts"
import { makeLeaseServer } from "../test/dhcp/LeaseServer.ts"
import { row } from "./Measured.ts"

const LEASES = 1000
const BUDGET = "≤ 20 ms a lease"

/** Runs a shell program; yields its processor milliseconds with those of all processes that it leaves behind, when the last has ended. */
const COUNTING = `
  use POSIX;
  my %calls = (x86_64 => 157, aarch64 => 167);
  my $machine = (POSIX::uname())[4];
  syscall($calls{$machine}, 36, 1, 0, 0, 0) == 0 or die "no subreaper";
  system("sh", "-c", $ARGV[0]);
  1 while wait() != -1;
  my @spent = times;
  print 1000 * ($spent[2] + $spent[3]);
`

const spentBy = (program: string, environment: Readonly<Record<string, string>>) =>
  Effect.callback<number>((resume) => {
    const child = spawn("perl", ["-e", COUNTING, program], {
      env: { PATH: process.env["PATH"], SWITCHYARD_ENV_FILE: "", ...environment },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    child.stdout.on("data", (part) => (text += String(part)))
    child.on("close", (code) =>
      resume(code === 0 ? Effect.succeed(Number(text)) : Effect.die(new Error(`perl ended with ${code}`)))
    )
  })

/** A shell loop of leases; `after` runs in it for each. */
const leases = (after: string) => `n=0; while [ $n -lt ${LEASES} ]; do n=$((n + 1))
  ${leaseProgram} "001C73$(printf %06X $n)" "10.0.$((n / 250)).$((n % 250))" eos ${after}
  done; wait`

const measured = Effect.fnUntraced(function* (what: string, program: string, isAway: boolean) {
  const folder = yield* makeFolder
  const server = yield* makeLeaseServer()
  if (isAway) yield* server.stop
  const environment = {
    SWITCHYARD_URL: server.url,
    DATA_DIR: folder,
    SWITCHYARD_HOOK_LOG: path.join(folder, "log")
  }
  const begun = Date.now()
  const running = yield* Effect.forkChild(spentBy(program, environment))
  if (isAway) {
    while ((yield* waiting(folder)).length < LEASES) yield* Effect.sleep("50 millis")
    yield* server.start
  }
  const spent = (yield* Fiber.join(running)) / LEASES
  const seconds = (Date.now() - begun) / 1000
  const reported = new Set(server.seen.map(({ ztp_mac }) => ztp_mac)).size
  if (reported !== LEASES || server.seen.length !== LEASES) {
    yield* Console.error(`${what}: ${server.seen.length} reports of ${reported} switches`)
  }
  return row(what, BUDGET, `${spent.toFixed(1)} ms of processor time, ${seconds.toFixed(1)} s for all`, {
    milliseconds: spent,
    seconds,
    reported
  })
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.gen(function* () {
  return [
    yield* measured(`${LEASES} leases, one after the other`, leases(""), false),
    yield* measured(`${LEASES} leases at once`, leases("&"), false),
    yield* measured(`${LEASES} leases at once, the server away`, leases("&"), true)
  ]
})
