/** Files on a switch's flash (docs/switch-dialogues.md#eos-files-and-certificates). */
import { Effect } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Cli } from "../ssh/Cli.ts"
import { sendFile } from "../ssh/ScpFile.ts"
import type { Transport } from "../ssh/Transport.ts"
import { saidTo } from "./Answers.ts"

/** Where the file is for programs on the switch; its command line says `flash:`. */
export const flashPath = (file: string): string => `/mnt/flash/${file}`

/** Writes a file over a channel of its own. */
export const putFile = Effect.fnUntraced(function* (cli: Cli, transport: Transport, path: string, bytes: Uint8Array) {
  const command = `scp -t ${path}`
  const channel = yield* transport.exec(command)
  yield* sendFile(channel, path, bytes).pipe(
    Effect.mapError(
      (message) => new CommandRejected({ hostname: cli.target.hostname, command, message: maskSecrets(message) })
    )
  )
})

/** Removes a file; one that is not there may be refused. */
export const removeFile = (cli: Cli, file: string) => Effect.asVoid(saidTo(cli, `delete flash:${file}`))
