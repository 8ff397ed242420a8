/**
 * What a package brings for a shell: the man page switchyard(1) and the completions of bash, zsh and fish, made from the definitions of the
 * commands. Exit codes and variables come from docs/command-line.md, which has them for people.
 */
import { Effect } from "effect"
import { Command, Completions, GlobalFlag } from "effect/cli"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { rootFor } from "../../src/cli/Commands.ts"
import { release } from "../../src/domain/Release.ts"

const NAME = "switchyard"

/** A text in roff: no backslash, hyphen or first character of a line means anything. */
const escaped = (text: string): string =>
  text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^['.]/, "\\&$&").replaceAll(/\s+/g, " ")

const bold = (text: string) => `\\fB${escaped(text)}\\fR`
const italic = (text: string) => `\\fI${escaped(text)}\\fR`

/** A line of Markdown in roff: code is bold, links are their words. */
const fromMarkdown = (text: string): string =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .split("`")
    .map((part, index) => (index % 2 === 1 ? bold(part) : escaped(part)))
    .join("")

const section = (title: string, lines: ReadonlyArray<string>) => [`.SH ${title.toUpperCase()}`, ...lines]
const entry = (term: string, text: string) => [".TP", term, text === "" ? "\\&" : text]

type Flag = Completions.FlagDescriptor

/** What stands for the value of a flag. */
const valueOf = ({ name, type }: Flag): string => {
  if (type._tag === "Boolean") return ""
  return type._tag === "Choice" ? bold(type.values.join("|")) : italic(name.toUpperCase())
}

const flagEntry = (flag: Flag) => {
  const names = [flag.name, ...flag.aliases].map((name) => bold(name.length === 1 ? `-${name}` : `--${name}`))
  const value = valueOf(flag)
  return entry(`${names.join(", ")}${value === "" ? "" : ` ${value}`}`, escaped(flag.description ?? ""))
}

const argumentText = ({ name, required, variadic }: Completions.ArgumentDescriptor) => {
  const text = `${italic(name.toUpperCase())}${variadic ? " ..." : ""}`
  return required ? text : `[${text}]`
}

/** A command and its sub-commands, each under a heading of its own. */
const commandLines = (command: Completions.CommandDescriptor, before: string): ReadonlyArray<string> => {
  const name = `${before} ${command.name}`
  const usage = [
    bold(name),
    ...(command.subcommands.length > 0 ? [italic("COMMAND")] : command.arguments.map(argumentText)),
    ...(command.flags.length > 0 ? ["[flags]"] : [])
  ]
  return [
    `.SS ${escaped(name)}`,
    usage.join(" "),
    ".PP",
    escaped(command.description ?? ""),
    ...command.arguments.flatMap((argument) => entry(argumentText(argument), escaped(argument.description ?? ""))),
    ...command.flags.flatMap(flagEntry),
    ...command.subcommands.flatMap((one) => commandLines(one, name))
  ]
}

/** The items of a list below a heading of docs/command-line.md: what stands before the colon, and after it. */
const listedUnder = (heading: string): ReadonlyArray<readonly [term: string, text: string]> => {
  const text = readFileSync(path.resolve(import.meta.dirname, "../../docs/command-line.md"), "utf8")
  const [, body] = text.split(`\n## ${heading}\n`)
  const found = [...(body?.split("\n## ")[0] ?? "").matchAll(/^- ([^:\n]+): (.+)$/gm)]
  if (found.length === 0) throw new Error(`docs/command-line.md has no list below "${heading}"`)
  return found.map(([, term = "", meaning = ""]) => [term, meaning])
}

const entriesUnder = (heading: string) =>
  listedUnder(heading).flatMap(([term, text]) => entry(fromMarkdown(term), fromMarkdown(text)))

const FILES = [
  ["/etc/switchyard/switchyard.env", "settings of the service, NAME=value"],
  ["/etc/switchyard/secrets", "a file for each secret that only root may read; the service is given copies"],
  ["/etc/switchyard/backup.passphrase", "passphrase of the backups of switchyard\\-backup.timer"],
  ["/var/lib/switchyard", "data of the service, with the embedded database"],
  ["/var/backups/switchyard", "backups of switchyard\\-backup.timer"],
  ["~/.config/switchyard/token", "token of a person who has signed on"]
] as const

/** The global flags as a command, because descriptions are made of commands only. */
const globalFlags = () =>
  Completions.fromCommand(
    Command.make("global", Object.fromEntries(GlobalFlag.BuiltIns.map(({ flag }, index) => [`flag${index}`, flag])))
  ).flags

/** All commands, described. */
export const described = async () => {
  const root = await Effect.runPromise(rootFor(["--help"]))
  const { description = "", subcommands } = Completions.fromCommand(root)
  const groups = root.subcommands.map(({ commands, group }) => ({
    group: group ?? "Commands",
    commands: subcommands.filter(({ name }) => commands.some((command) => command.name === name))
  }))
  return { description, groups, root }
}

/** The man page switchyard(1), in roff. */
export const manPage = async (): Promise<string> => {
  const { description, groups } = await described()
  const lines = [
    `.TH ${NAME.toUpperCase()} 1 "" "Switchyard ${release}" "User Commands"`,
    ...section("Name", [`${NAME} \\- controller of campus and data\\-centre switches`]),
    ...section("Synopsis", [`${bold(NAME)} ${italic("COMMAND")} [arguments] [flags]`]),
    ...section("Description", [escaped(description), ".PP", `${bold(`${NAME} COMMAND --help`)} explains one command.`]),
    ...groups.flatMap(({ commands, group }) =>
      section(
        group,
        commands.flatMap((command) => commandLines(command, NAME))
      )
    ),
    ...section("Flags of all commands", globalFlags().flatMap(flagEntry)),
    ...section("Environment", entriesUnder("Signing on")),
    ...section(
      "Files",
      FILES.flatMap(([file, text]) => entry(bold(file), text))
    ),
    ...section("Exit status", entriesUnder("Exit codes"))
  ]
  return `${lines.join("\n")}\n`
}

/** Where each shell looks for completions below /usr/share, and what the file is. */
export const COMPLETIONS = {
  bash: "bash-completion/completions/switchyard",
  zsh: "zsh/vendor-completions/_switchyard",
  fish: "fish/vendor_completions.d/switchyard.fish"
} as const satisfies Partial<Record<Completions.Shell, string>>

/** The files by their names below /usr/share. */
export const shellFiles = async (): Promise<ReadonlyArray<readonly [name: string, text: string]>> => {
  const { root } = await described()
  const descriptor = Completions.fromCommand(root)
  return [
    [`man/man1/${NAME}.1`, await manPage()],
    ...(["bash", "zsh", "fish"] as const).map(
      (shell) => [COMPLETIONS[shell], `${Completions.generate(NAME, shell, descriptor)}\n`] as const
    )
  ]
}
