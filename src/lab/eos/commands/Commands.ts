/** Every command of the exec modes, from the tables of its neighbours. */
import type { Command } from "./Command.ts"
import * as Bash from "./Bash.ts"
import * as Configure from "./Configure.ts"
import * as Files from "./Files.ts"
import * as Show from "./Show.ts"
import * as ShowInterfaces from "./ShowInterfaces.ts"
import * as ShowSessions from "./ShowSessions.ts"
import * as ShowStations from "./ShowStations.ts"
import * as System from "./System.ts"

/** All commands: words, `<name>` for one free word, `<name...>` for the rest of the line. */
export const all: ReadonlyArray<Command> = [
  ...Bash.commands,
  ...System.commands,
  ...Configure.commands,
  ...Show.commands,
  ...ShowInterfaces.commands,
  ...ShowSessions.commands,
  ...ShowStations.commands,
  ...Files.commands
]
