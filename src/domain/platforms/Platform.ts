/**
 * Knowledge about a platform without a session to one of its devices, as one data record: names, words and patterns that any
 * room may read. Dialogues with its devices belong to its driver alone (`src/drivers`).
 */
import type { PlatformWords, RiskRule } from "../ChangeRisk.ts"
import type { ReadingKind } from "../checks/Readings.ts"

/** How the commit timer of a platform counts, in seconds. */
export interface TimerRules {
  /** It counts in steps of this length, such as 60 for minutes. */
  readonly step: number
  /** The shortest timer that leaves time for a proof; a multiple of the step. */
  readonly least: number
  /**
   * By how much devices were seen to be late in taking a commit back; left out where none was. A change waits `EXPIRY_MARGIN_SECONDS`
   * longer than its timer, so this must be less.
   */
  readonly late?: number
}

/** The timer that a platform can count, for at least so many seconds: one that were shorter would end before the proof does. */
export const timerSeconds = ({ least, step }: TimerRules, wanted: number): number =>
  Math.max(least, Math.ceil(wanted / step) * step)

/** The abilities of a platform's driver in addition to reading a device and changing its configuration. */
export interface Capabilities {
  /**
   * A commit that the device rolls back automatically unless another login confirms it; without this ability, changes are
   * committed immediately.
   */
  readonly timer: TimerRules | false
  /** A new device moves to its management address under that timer; left out: with a commit that stays. */
  readonly movesUnderTimer?: true
  /** A candidate ends with the login that has loaded it, so none remains after a lost connection. */
  readonly endsWithLogin?: true
  /** The device accepts a key and a certificate: in its own stores, or as files at a path from the settings. */
  readonly certificates: "stores" | "files" | false
  /** The device fetches images of its operating system and boots them. */
  readonly firmware: boolean
  /** The device can be reset to its factory default. */
  readonly erase: boolean
  /** Ports can be disabled and enabled again with the templates `bounce-down.j2` and `bounce-up.j2`. */
  readonly bounce: boolean
  /** The kinds of its state that can be read (`domain/checks/Readings.ts`). Left out: none. */
  readonly reads?: ReadonlyArray<ReadingKind>
  /** The commands that checks of plugins may give (`ReadOnlyCommands.ts`). Left out: none. */
  readonly shows?: ReadOnlyWords
}

/** What tells a command that only reads from others. Its first word is always `show`, written in full. */
export interface ReadOnlyWords {
  /** Words behind a `|` that only choose what is shown, written in full. All others are refused: some write to a file. */
  readonly filters: ReadonlyArray<string>
  /** The words behind `show` of commands that never end, or show secrets in a form that no mask knows; devices take abbreviations too. */
  readonly never: ReadonlyArray<ReadonlyArray<string>>
}

/** Names of interfaces. */
interface InterfaceNames {
  /** Short prefixes and their long forms; the first that fits wins. */
  readonly short: ReadonlyArray<readonly [short: string, long: string]>
  /** Ports for cables. Subinterfaces are not ports. */
  readonly physical: RegExp
  /** The beginnings of all interface names that the settings may contain; null where they are unknown. */
  readonly possible: RegExp | null
}

/** A command that reads further lines as its text. */
export interface MultiLineInput {
  /** The whole line that opens it. */
  readonly opens: RegExp
  /** The number of texts that follow, each ended by a line of its own. */
  readonly texts: number
  /** The heading under which it must appear: elsewhere the device refuses it and runs the text. Left out: any place. */
  readonly within?: RegExp
}

/**
 * A word that begins configuration as well as commands. The word at `place` (1: the next one) decides: one of `configuration`
 * is configuration, an abbreviation of one of `commands` is a command, and `otherwise` decides the rest.
 */
export interface SharedWord {
  readonly word: string
  readonly place: number
  readonly configuration: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
  readonly otherwise: "configuration" | "command"
  /** The class of the word without another one at `place`. */
  readonly alone: "configuration" | "command"
}

/** Words that a device runs instead of storing them, also where it takes configuration (`CandidateGate.ts`). */
export interface CommandWords {
  /** Words that commit, abort or open a session or change the mode as a whole. */
  readonly session: ReadonlyArray<string>
  /** The other commands of the exec modes. */
  readonly exec: ReadonlyArray<string>
  /** Words that leave their mode, each with the beginning of its heading; empty for any. */
  readonly leave: ReadonlyMap<string, string>
  /** The line that ends a whole configuration. */
  readonly end: string
  readonly shared: ReadonlyArray<SharedWord>
  /** Words of the configuration with which one of the commands begins: `log` is not an abbreviation of `logout`. */
  readonly configuration: ReadonlyArray<string>
  /** Words before a line that remove it or set its default. */
  readonly negations: ReadonlyArray<string>
  /** Lines that begin with these are comments, in addition to those of the notation. */
  readonly comments: ReadonlyArray<string>
  /** Lines that open a mode. */
  readonly opensMode: RegExp
  /** Lines that exist at the top level, so that such a line below a heading leaves its section. */
  readonly topLevel: RegExp
  /** Headings below which some of these are lines of the section; such a line follows after a line break. */
  readonly nesting: RegExp
  /** A line that defines another name for a command, with that name as its first group; null where the platform has no aliases. */
  readonly alias: RegExp | null
  /**
   * Lines whose rest is text, so that `
   * ` and `>` in it are text too; null where the device acts on neither.
   */
  readonly textBehind: RegExp | null
  /** The most bytes that the device reads as one line. */
  readonly longestLine: number
}

/** A line that looks like an error and is only information. */
export interface DeviceRemark {
  readonly line: RegExp
  readonly meaning: string
  /** The releases that print it, by their beginning; left out: all. */
  readonly releases?: RegExp
}

/** The notation of a configuration. */
export interface ConfigNotation {
  /** How lines are assigned to a section. In braces, as Junos writes them, a semicolon ends each statement. */
  readonly sections: "indentation" | "braces"
  /** Lines that begin with this are comments. */
  readonly comment: string
  /**
   * Lines that a device writes automatically, with their indentation: comments, its release, the image that it boots, times.
   * They are not part of the configuration that it received, so no comparison considers them.
   */
  readonly own: RegExp
  /** The first line of an interface's section; `{name}` represents the interface. */
  readonly interfaceHeading: string
  readonly multiLineInputs: ReadonlyArray<MultiLineInput>
  /** In braces: words below which the order of statements and of the values of lists has a meaning. Left out: none. */
  readonly ordered?: ReadonlyArray<string>
}

/** A line that states a default, and its place: `section` is the last heading above it, empty at the top. */
export interface SilentDefault {
  readonly section: RegExp
  readonly line: RegExp
  /** The beginning of lines that state something else, in the section or directly below it; groups of `line` as `$1`. */
  readonly other?: string
  /** A line at the top without which this is no default. */
  readonly where?: string
  /** A line of the section, or of the one around it, with which this is no default. */
  readonly unless?: string
}

/** A line that is always shown in another form; `section` is the heading at the top that it is below, empty without one. */
export interface Respelling {
  readonly section: RegExp
  readonly line: RegExp
  /** The other form; groups of `line` as `$1`. */
  readonly shown: string
}

/** How a device shows lines of its configuration in another form than it received them. */
export interface ShownLines {
  /** Lines that act immediately and appear in no configuration. */
  readonly never: RegExp
  /** Lines that the device does not show because they state a default. */
  readonly defaults: ReadonlyArray<SilentDefault>
  /** Features that are on by default, so that a `no` before them is shown. */
  readonly on: ReadonlyArray<SilentDefault>
  /** Commands, with the blank after them, whose text is shown unchanged. */
  readonly freeText: RegExp
  /** A command, and its list of numbers, which may be shown sorted and with ranges. */
  readonly lists: RegExp
  /** Headings that are shown only with lines below them. */
  readonly bareHeadings?: RegExp
  /** Applied one after the other. */
  readonly respelled?: ReadonlyArray<Respelling>
  /** The number that the device gives to a line of a list, such as an access list, with the text before it as its first group. */
  readonly position?: RegExp
  /** Words that a release shows for others, with what is shown for them. */
  readonly synonyms?: ReadonlyArray<readonly [given: RegExp, shown: string]>
}

/** Two builds of one image; each model runs one of them. */
export interface ImageBuilds {
  /** The beginning of the file names of each. */
  readonly wide: string
  readonly narrow: string
  /** Models that run the narrow one. */
  readonly narrowModels: ReadonlySet<string>
  /** The site's setting that replaces the list. */
  readonly narrowSetting: "arista_models_32bit"
}

/** File names of firmware images. */
export interface FirmwareNames {
  /** The version in a file name, as the first group. */
  readonly version: RegExp
  /** Null where one image serves all models. */
  readonly builds: ImageBuilds | null
}

export interface Platform<Name extends string = string> {
  /** The name in a device's record, in the names of template folders, and in settings. */
  readonly name: Name
  /** The manufacturer, as in the devices' facts. */
  readonly vendor: string
  /** Null without a driver: devices of this platform are inventory only. */
  readonly capabilities: Capabilities | null
  /** Several devices may show the same serial number: containers show that of their host. Left out: each has its own. */
  readonly sharesSerials?: true
  readonly interfaces: InterfaceNames
  readonly configuration: ConfigNotation
  /** Words and rules that judge changes without a reviewer; null: nothing is pushed without a person. */
  readonly autoPush: PlatformWords | null
  /** The weight of each kind of changed line in the score of a change. */
  readonly risk: ReadonlyArray<RiskRule>
  /** Null where its images are unknown. */
  readonly firmware: FirmwareNames | null
  /** Sources of regular expressions for the text before a secret; the longer forms come first. */
  readonly secrets: ReadonlyArray<string>
  /**
   * Sources of regular expressions for the text before a secret that devices show with a new hash or obfuscation each time they
   * receive it, from the first word of the line. Such values cannot be compared.
   */
  readonly saltedSecrets: ReadonlyArray<string>
  /**
   * Each line with such a secret has one of these words, which are found much faster than its place in the line. Flag `g`. Left out: all
   * lines are looked at.
   */
  readonly saltedWords?: RegExp
  /**
   * The form of secrets that the device obscures in a way that anybody can read, so that two of them are compared by what they say.
   * Left out: none.
   */
  readonly obscuredSecrets?: "$9$"
  readonly remarks: ReadonlyArray<DeviceRemark>
  /**
   * A line that gives a user a login, without its indentation; the user is the first group. Null where it is unknown, and in braces,
   * where no line says whose it is (`BraceLogins.ts`).
   */
  readonly loginLine: RegExp | null
  /** Left out where it is unknown. */
  readonly shown?: ShownLines
  /** Left out for a platform without a driver. */
  readonly commands?: CommandWords
}

// Common parts of several platforms: names and notation of command lines in Cisco's style.

/** Short names that mean the same wherever they are used. */
export const commonShortNames: ReadonlyArray<readonly [short: string, long: string]> = [
  ["Et", "Ethernet"],
  ["Ma", "Management"],
  ["Po", "Port-Channel"],
  ["Vl", "Vlan"],
  ["Lo", "Loopback"],
  ["Fa", "FastEthernet"],
  ["Gi", "GigabitEthernet"],
  ["Te", "TenGigabitEthernet"],
  ["Twe", "TwentyFiveGigE"],
  ["Fo", "FortyGigabitEthernet"],
  ["Hu", "HundredGigE"]
]

/** Sections by indentation, without multi-line inputs. */
export const indented: ConfigNotation = {
  sections: "indentation",
  comment: "!",
  // an author's comment begins with two
  own: /^(?:\s*!(?!!)|end$)/,
  interfaceHeading: "interface {name}",
  multiLineInputs: []
}
