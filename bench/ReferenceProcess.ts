/**
 * The reference load, in a process of its own: a plain client on ssh2, without anything of Switchyard, that logs in to each switch,
 * opens a configuration session, pastes a whole configuration into it and commits. It checks nothing but that the prompt comes
 * back, so it is about the least that a machine can do for the same change. Reads its orders as one line of JSON; prints what it
 * took as one line of JSON.
 */
import { Client } from "ssh2"
import { text } from "node:stream/consumers"

interface Orders {
  readonly port: number
  readonly password: string
  /** Switches at once. */
  readonly concurrency: number
  /** The addresses on which they listen here, and those in their configurations. */
  readonly switches: ReadonlyArray<{ readonly name: string; readonly address: string; readonly listens: string }>
}

const PATIENCE = 600_000
const SESSION = "reference"
/** A line that no switch has, so that there is something to commit. */
const CHANGE = "alias reference show version"
/** A switch loses what is typed ahead of its answers beyond 4 KB. */
const AHEAD = 3584

/** What is typed at once, and the prompts that answer it. */
interface Portion {
  readonly typed: string
  readonly prompts: number
}

/** What is answered by a prompt: a line, or a banner as far as its end. */
const entriesOf = (config: string): ReadonlyArray<string> => config.match(/^banner .*\n[^]*?^EOF$|^.+$/gm) ?? []

const portions = (entries: ReadonlyArray<string>): ReadonlyArray<Portion> => {
  const cut: Array<Portion> = []
  for (const entry of entries) {
    const { prompts, typed } = cut.at(-1) ?? { prompts: 0, typed: "" }
    const fits = typed !== "" && typed.length + entry.length < AHEAD
    if (fits) cut[cut.length - 1] = { typed: `${typed}${entry}\n`, prompts: prompts + 1 }
    else cut.push({ typed: `${entry}\n`, prompts: 1 })
  }
  return cut
}

const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0

/** Logs in, types each portion when the one before has been answered, and yields what the switch said. */
const converse = (
  { password, port }: Orders,
  { listens, name }: Orders["switches"][number],
  portions: ReadonlyArray<Portion>
) =>
  new Promise<string>((resolve, reject) => {
    const client = new Client()
    const prompt = new RegExp(String.raw`${name}(?:\([^)\s]*\))?#`, "g")
    const waiting = [...portions]
    let expected = 1
    let before = ""
    client.once("error", reject)
    client.on("keyboard-interactive", (_name, _instructions, _lang, prompts, finish) =>
      finish(prompts.map(() => password))
    )
    client.once("ready", () =>
      client.shell({ term: "vt100", cols: 512, rows: 1000 }, (error, shell) => {
        if (error !== undefined) return reject(error)
        let said = ""
        return shell.on("data", (bytes: Buffer) => {
          said += bytes.toString("latin1")
          if (!said.endsWith("#") || count(said, prompt) < expected) return
          const next = waiting.shift()
          before += said
          said = ""
          if (next === undefined) {
            client.end()
            return resolve(before)
          }
          expected = next.prompts
          shell.write(next.typed)
        })
      })
    )
    client.connect({
      host: listens,
      port,
      username: "switchyard",
      password,
      tryKeyboard: true,
      readyTimeout: PATIENCE,
      algorithms: { cipher: ["aes128-gcm@openssh.com"], kex: ["curve25519-sha256"] }
    })
  })

/** The configuration that runs on a switch, without the lines before and behind it. */
const runningConfig = async (orders: Orders, one: Orders["switches"][number]): Promise<string> => {
  const said = await converse(
    orders,
    one,
    ["terminal length 0", "show running-config"].flatMap((one) => portions([one]))
  )
  const lines = said.replaceAll("\r", "").split("\n")
  const shown = lines.slice(
    lines.findIndex((line) => line.startsWith("! Command")),
    -1
  )
  return shown.filter((line) => !/^(!.*|end)$/.test(line)).join("\n")
}

/** Whether a switch has taken it is seen by its prompt; a line that it refused begins with a percent sign. */
const paste = async (orders: Orders, one: Orders["switches"][number], config: string): Promise<void> => {
  const open = `configure session ${SESSION}`
  const typed = [open, "rollback clean-config", ...entriesOf(config), CHANGE, "end", `${open} commit`]
  const refused = /^%.*/m.exec(await converse(orders, one, portions(typed)))
  if (refused !== null) throw new Error(`${one.name}: ${refused[0]}`)
}

const work = async (orders: Orders) => {
  const [first] = orders.switches
  if (first === undefined) throw new Error("no switches")
  const sample = await runningConfig(orders, first)
  // the configurations of the bench differ in name and address only
  const configOf = ({ address, name }: Orders["switches"][number]) =>
    sample.replaceAll(new RegExp(`\\b${first.name}\\b`, "g"), name).replaceAll(`${first.address}/`, `${address}/`)
  const waiting = orders.switches.values()
  const before = process.cpuUsage()
  const started = performance.now()
  const worker = async () => {
    for (const one of waiting) await paste(orders, one, configOf(one))
  }
  await Promise.all(Array.from({ length: orders.concurrency }, worker))
  const seconds = (performance.now() - started) / 1000
  const { system, user } = process.cpuUsage(before)
  return { seconds, processorSeconds: (system + user) / 1e6, lines: sample.split("\n").length }
}

const orders: Orders = JSON.parse(await text(process.stdin))
process.stdout.write(`${JSON.stringify(await work(orders))}\n`, () => process.exit(0))
