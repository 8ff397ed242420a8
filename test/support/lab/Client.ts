/** A bare ssh2 client for the lab's own tests: types bytes, collects what comes back, knows nothing about drivers. */
import { once } from "node:events"
import { Client, type ClientChannel } from "ssh2"
import { seconds } from "../Patience.ts"

export interface Shell {
  readonly client: Client
  readonly channel: ClientChannel
  /** Everything received so far. */
  readonly text: () => string
  readonly type: (text: string) => void
  /** Waits until what came since the last wait matches; returns it. */
  readonly until: (pattern: RegExp, milliseconds?: number) => Promise<string>
  /** Types a line and returns the answer up to the next prompt, without echo and prompt. */
  readonly ask: (line: string) => Promise<string>
  readonly close: () => void
  readonly closed: Promise<void>
}

export interface Target {
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
  readonly onBanner?: (text: string) => void
  readonly readyTimeout?: number
  readonly onHostKey?: (key: Buffer) => void
}

export const PROMPT = /(?:^|\n)[\w.()@:/ -]+[>#] ?$/

export const connect = (target: Target): Promise<Client> =>
  new Promise((resolve, reject) => {
    const client = new Client()
    const { username = "admin", password = "admin" } = target
    client.on("connect", () => client.setNoDelay(true))
    client.on("ready", () => resolve(client))
    client.on("banner", (text) => target.onBanner?.(text))
    client.on("error", reject)
    client.on("close", () => reject(new Error("closed")))
    client.on("keyboard-interactive", (_name, _text, _language, prompts, finish) => finish(prompts.map(() => password)))
    client.connect({
      host: target.host,
      port: target.port,
      username,
      password,
      tryKeyboard: true,
      readyTimeout: target.readyTimeout ?? seconds(30),
      authHandler: ["none", "keyboard-interactive", "password"],
      hostVerifier: (key: Buffer) => {
        target.onHostKey?.(key)
        return true
      }
    })
  })

export const openShell = async (target: Target): Promise<Shell> => {
  const client = await connect(target)
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.shell({ term: "vt100", cols: 511, rows: 1000 }, (error, stream) =>
      error === undefined ? resolve(stream) : reject(error)
    )
  )
  return shellOver(client, channel)
}

const shellOver = async (client: Client, channel: ClientChannel): Promise<Shell> => {
  let received = ""
  let seen = 0
  let wake: (() => void) | undefined
  channel.on("data", (chunk: Buffer) => {
    received += chunk.toString("utf8")
    wake?.()
  })
  channel.on("close", () => wake?.())
  const until = async (pattern: RegExp, milliseconds = seconds(30)): Promise<string> => {
    const deadline = Date.now() + milliseconds
    for (;;) {
      const fresh = received.slice(seen).replaceAll("\r", "")
      if (pattern.test(fresh)) {
        seen = received.length
        return fresh
      }
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`nothing like ${pattern} in ${JSON.stringify(fresh.slice(-300))}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const ask = async (line: string) => {
    channel.write(`${line}\n`)
    const answer = await until(PROMPT)
    return answer.slice(answer.indexOf("\n") + 1, answer.lastIndexOf("\n") + 1)
  }
  const closed = once(client, "close").then(() => undefined)
  const shell: Shell = {
    client,
    channel,
    text: () => received,
    type: (text) => channel.write(text),
    until,
    ask,
    close: () => client.destroy(),
    closed
  }
  await until(PROMPT)
  return shell
}

/** Runs one command without a terminal. */
export const exec = (client: Client, line: string, input?: (channel: ClientChannel) => void): Promise<string> =>
  new Promise((resolve, reject) =>
    client.exec(line, (error, channel) => {
      if (error !== undefined) return reject(error)
      let text = ""
      channel.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8")
      })
      channel.on("close", () => resolve(text))
      input?.(channel)
    })
  )
