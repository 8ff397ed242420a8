/**
 * A git server on loopback in front of a real repository, whose answers a test can hold back and let through: a remote, or a
 * proxy before it, that hangs or is slow. Speaks the `git://` protocol by way of `git upload-pack`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** A remote whose answers can be held back. */
export interface GitGate {
  /** The configuration of a server. */
  readonly address: string
  /** From now on every connection gets so many bytes of its answer, none by default, and then nothing more. */
  readonly hold: (afterBytes?: number) => void
  /** Lets through what is held back and all that follows. */
  readonly open: () => void
  /** Connections that wait for the gate to open. */
  readonly waiting: () => number
  /** All connections so far. */
  readonly connections: () => number
}

interface Answer {
  readonly flush: () => void
  readonly isHeld: () => boolean
}

/** Sends what git answers to the socket, as far as `allowed` says. */
const forward = (child: ChildProcess, socket: Socket, allowed: () => number): Answer => {
  const held: Array<Buffer> = []
  let sent = 0
  let ended = false
  const flush = () => {
    for (let chunk = held[0]; chunk !== undefined && sent < allowed(); chunk = held[0]) {
      held.shift()
      const part = chunk.subarray(0, allowed() - sent)
      if (part.length < chunk.length) held.unshift(chunk.subarray(part.length))
      sent += part.length
      socket.write(part)
    }
    if (ended && held.length === 0) socket.end()
  }
  child.stdout?.on("data", (chunk: Buffer) => {
    held.push(chunk)
    flush()
  })
  child.stdout?.on("end", () => {
    ended = true
    flush()
  })
  return { flush, isHeld: () => held.length > 0 && !socket.destroyed }
}

/** A connection: git's own answer to it, behind the gate. */
const answerTo = (socket: Socket, folder: string, allowed: () => number, begun: (answer: Answer) => void) => {
  socket.on("error", () => undefined)
  // the first packet names the repository, of which there is one; the rest is for upload-pack
  let opening = Buffer.alloc(0)
  const read = (chunk: Buffer) => {
    opening = Buffer.concat([opening, chunk])
    const length = opening.length < 4 ? Number.POSITIVE_INFINITY : Number.parseInt(opening.toString("latin1", 0, 4), 16)
    if (opening.length < length) return
    socket.off("data", read)
    const child = spawn("git", ["upload-pack", folder], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
    })
    child.stdin.on("error", () => undefined)
    child.stdin.write(opening.subarray(length))
    socket.pipe(child.stdin)
    socket.on("close", () => void child.kill())
    begun(forward(child, socket, allowed))
  }
  socket.on("data", read)
}

const listen = (folder: string) =>
  Effect.callback<GitGate & { readonly close: () => void }>((resume) => {
    let limit = Number.POSITIVE_INFINITY
    let connections = 0
    const answers: Array<Answer> = []
    const sockets = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      connections += 1
      sockets.add(socket)
      answerTo(
        socket,
        folder,
        () => limit,
        (answer) => void answers.push(answer)
      )
    })
    const open = () => {
      limit = Number.POSITIVE_INFINITY
      for (const answer of answers) answer.flush()
    }
    const close = () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
    server.listen(0, "127.0.0.1", () => {
      const bound = server.address()
      const port = bound !== null && typeof bound === "object" ? bound.port : 0
      const gate = {
        address: `git://127.0.0.1:${port}/remote.git`,
        hold: (afterBytes = 0) => {
          limit = afterBytes
        },
        open,
        waiting: () => answers.filter((answer) => answer.isHeld()).length,
        connections: () => connections,
        close
      }
      resume(Effect.succeed(gate))
    })
  })

/** Opens a gate in front of the repository in this folder; it closes with the scope. */
export const makeGitGate = (folder: string): Effect.Effect<GitGate, never, Scope.Scope> =>
  Effect.acquireRelease(listen(folder), ({ close }) => Effect.sync(close))
