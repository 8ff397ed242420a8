/**
 * Configurations with commands of the switch among their lines, as people could write them by mistake or with intent: words of the
 * lab's own command tree, shortened, in any case, behind `do` and `no`, with pipes, as aliases, in and behind texts. All of it
 * follows from a seed.
 */
import * as CommandLine from "../../../src/lab/eos/CommandLine.ts"
import { execWords, modeWords } from "../../../src/lab/eos/ExecWords.ts"
import { randomOf } from "../Random.ts"

/** Placeholders for a free word of a command. */
const FREE: Readonly<Record<string, ReadonlyArray<string>>> = {
  path: ["flash:notes.txt", "flash:EOS-4.30.1F.swi", "startup-config", "clean-config", "flash:"],
  from: ["running-config", "flash:notes.txt", "startup-config", "terminal:"],
  to: ["startup-config", "flash:kept", "running-config", "flash:notes.txt"],
  name: ["job1", "other", "sess-1"],
  time: ["00:05:00", "0:0:1"],
  how: ["now", "force", "in 5", "all now"],
  flag: ["/force"],
  vrf: ["MGMT"],
  "line...": ["rm /mnt/flash/notes.txt", "echo x > /mnt/flash/kept"],
  "how...": ["now", "force", "in 5"]
}

const MODE_COMMANDS = [
  "end",
  "exit",
  "abort",
  "commit",
  "commit timer 00:05:00",
  "rollback clean-config",
  "boot system flash:EOS-4.30.1F.swi",
  "copy terminal: session-config",
  "quit",
  "EOF",
  "alias zap write erase now",
  "alias zap",
  "zap",
  "banner login",
  "comment",
  "action bash",
  "code unit x"
]

/** Every command of the lab, with its free words open. */
const PATTERNS: ReadonlyArray<string> = [
  ...CommandLine.execCommands.map(({ words }) => words.join(" ")),
  ...MODE_COMMANDS,
  ...execWords,
  ...modeWords.session
]

const PLAIN: ReadonlyArray<ReadonlyArray<string>> = [
  ["vlan 10", "   name users"],
  ["interface Ethernet1", "   description desk 1", "   switchport access vlan 10"],
  ["interface Ethernet2", "   no shutdown", "   spanning-tree portfast"],
  ["router bgp 65000", "   vrf MGMT", "      rd 1:1", "   neighbor 10.0.0.1 remote-as 65001"],
  ["banner login", "reload now", "EOF"],
  ["event-handler e", "   action bash rm /mnt/flash/notes.txt", "   trigger on-boot"],
  ["!! a comment", "!"],
  ["ip access-list a", "   10 permit ip any any"],
  ["ntp server 10.0.0.9", "logging host 10.0.0.8"],
  ["alias sr show running-config"]
]

export interface RandomCandidate {
  readonly text: string
  /** The lines that may be commands. */
  readonly hostile: ReadonlyArray<string>
}

/** Chooses from lists, by a seed. */
export class Choice {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomOf(seed)
  }

  below(most: number): number {
    return Math.floor(this.#next() * most)
  }

  isSo(one: number, inAll: number): boolean {
    return this.below(inAll) < one
  }

  from<A>(list: ReadonlyArray<A>): A {
    const found = list[this.below(list.length)]
    if (found === undefined) throw new Error("nothing to choose from")
    return found
  }
}

const filled = (choice: Choice, word: string): string => {
  const name = /^<(.+)>$/.exec(word)?.[1]
  if (name === undefined) return word
  return choice.from(FREE[name] ?? FREE[name.replace("...", "")] ?? ["x", "all", "Ethernet1"])
}

const shortened = (choice: Choice, word: string): string =>
  word.length > 1 && choice.isSo(1, 3) ? word.slice(0, 1 + choice.below(word.length)) : word

const inAnyCase = (choice: Choice, word: string): string =>
  choice.isSo(1, 8) ? word.toUpperCase() : choice.isSo(1, 12) ? word.slice(0, 1).toUpperCase() + word.slice(1) : word

const BEFORE = ["", "", "", "", "", "do ", "DO ", "no ", "default ", "!", "!! ", "zap ", "do do ", "n "]
const BEHIND = [
  "",
  "",
  "",
  "",
  "",
  " | no-more",
  " > flash:kept",
  " | redirect flash:kept",
  " | tee flash:kept",
  "?",
  " ",
  "\r",
  ";",
  " ?"
]
const INDENT = ["", "", "   ", "      ", " ", "\t", "  \t "]

/** One line with a command in it, or one that could be. */
export const hostileLine = (choice: Choice): string => {
  const words = choice
    .from(PATTERNS)
    .split(" ")
    .map((word) => inAnyCase(choice, shortened(choice, filled(choice, word))))
  const blank = choice.isSo(1, 10) ? choice.from(["  ", "\t"]) : " "
  return choice.from(INDENT) + choice.from(BEFORE) + words.join(blank) + choice.from(BEHIND)
}

/** A configuration of some sections with one to four such lines in it. */
export const randomCandidate = (seed: number): RandomCandidate => {
  const choice = new Choice(seed)
  const lines = Array.from({ length: 1 + choice.below(4) }, () => choice.from(PLAIN)).flat()
  const hostile = Array.from({ length: 1 + choice.below(4) }, () => hostileLine(choice))
  for (const line of hostile) lines.splice(choice.below(lines.length + 1), 0, line)
  return { text: `${lines.join("\n")}\n`, hostile }
}
