/**
 * What is known of a platform without a session to one of its devices, as one data record: names, words and patterns that any
 * room may ask for. How its devices are talked to is its driver's business alone (`src/drivers`).
 */
import type { PlatformWords, RiskRule } from "../ChangeRisk.ts"

/** What the driver of a platform offers beyond reading a device and changing its configuration. */
export interface Capabilities {
  /** A commit that the device takes back on its own unless another login confirms it; without one, changes are committed at once. */
  readonly timer: boolean
  /** The device takes a key and a certificate of ours: into stores of its own, or as files where a setting says so. */
  readonly certificates: "stores" | "files" | false
  /** The device fetches images of its operating system and boots them. */
  readonly firmware: boolean
  /** The device can be brought back to its factory default. */
  readonly erase: boolean
  /** Ports can be taken down and up again with the templates `bounce-down.j2` and `bounce-up.j2`. */
  readonly bounce: boolean
}

/** Names of interfaces. */
interface InterfaceNames {
  /** Short prefixes and what they stand for; the first that fits counts. */
  readonly short: ReadonlyArray<readonly [short: string, long: string]>
  /** Ports that hold cables. Subinterfaces are no ports. */
  readonly physical: RegExp
  /** How every name begins that an interface can have in the settings; null where that is not known. */
  readonly possible: RegExp | null
}

/** A command that reads further lines as its text. */
export interface MultiLineInput {
  /** The whole line that opens it. */
  readonly opens: RegExp
  /** How many texts follow, each ended by a line of its own. */
  readonly texts: number
  /** The heading that it must stand below: elsewhere the device refuses it and runs the text. Left out: any place. */
  readonly within?: RegExp
}

/**
 * A word that begins configuration as well as commands. The word at `place` (1: the next one) decides: one of `configuration`
 * is configuration, what abbreviates one of `commands` is a command, and so is what is left when `otherwise` says it.
 */
export interface SharedWord {
  readonly word: string
  readonly place: number
  readonly configuration: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
  readonly otherwise: "configuration" | "command"
  /** What the word is without another one at `place`. */
  readonly alone: "configuration" | "command"
}

/** Words that a device runs instead of storing them, also where it takes configuration (`CandidateGate.ts`). */
export interface CommandWords {
  /** Words that commit, give up or open a session or change the mode as a whole. */
  readonly session: ReadonlyArray<string>
  /** The other commands of the exec modes. */
  readonly exec: ReadonlyArray<string>
  /** Words that leave the mode that they stand in, each with how its heading begins; empty for any. */
  readonly leave: ReadonlyMap<string, string>
  /** The line that ends a whole configuration. */
  readonly end: string
  readonly shared: ReadonlyArray<SharedWord>
  /** Words of the configuration with which one of the commands begins: `log` is no abbreviation of `logout`. */
  readonly configuration: ReadonlyArray<string>
  /** Words before a line that take it away or set its default. */
  readonly negations: ReadonlyArray<string>
  /** Lines that begin so are comments, beside those of the notation. */
  readonly comments: ReadonlyArray<string>
  /** Lines that open a mode. */
  readonly opensMode: RegExp
  /** Lines that exist at the top level, so that one below a heading leaves its section. */
  readonly topLevel: RegExp
  /** Headings below which some of these are lines of the section; behind a line break, such a line. */
  readonly nesting: RegExp
  /** A line that gives a command another name, with that name as its first group; null where there are no aliases. */
  readonly alias: RegExp | null
  /** Lines whose rest is text, so that `|` and `>` in it are; null where the device acts on neither. */
  readonly textBehind: RegExp | null
  /** Bytes of a line that the device takes as one. */
  readonly longestLine: number
}

/** A line that looks like an error and is only said for information. */
export interface DeviceRemark {
  readonly line: RegExp
  readonly meaning: string
  /** The releases that say it, from their beginning; left out: all. */
  readonly releases?: RegExp
}

/** How a configuration is written down. */
export interface ConfigNotation {
  /** What shows which lines belong to a section. */
  readonly sections: "indentation" | "braces"
  /** Lines that begin so are comments. */
  readonly comment: string
  /**
   * Lines that a device writes on its own, with their indentation: comments, its release, the image that it boots, times. They say nothing
   * of what it was told, so that no comparison of what it runs looks at them.
   */
  readonly own: RegExp
  /** The first line of an interface's section; `{name}` stands for the interface. */
  readonly interfaceHeading: string
  readonly multiLineInputs: ReadonlyArray<MultiLineInput>
}

/** A line that says what is so anyway, and where it does: `section` is the last heading above it, empty at the top. */
export interface SilentDefault {
  readonly section: RegExp
  readonly line: RegExp
}

/** How a device shows lines of its configuration otherwise than it was given them. */
export interface ShownLines {
  /** Lines that do something, and stand in no configuration. */
  readonly never: RegExp
  /** Lines that are not shown because they say what is so anyway. */
  readonly defaults: ReadonlyArray<SilentDefault>
  /** What is on by default, so that a `no` before it is shown. */
  readonly on: ReadonlyArray<SilentDefault>
  /** Commands, with the blank behind them, whose text is shown as it was given. */
  readonly freeText: RegExp
  /** A command, and its list of numbers, which may be shown sorted and with ranges. */
  readonly lists: RegExp
}

/** Two builds of one image, of which each model runs one. */
export interface ImageBuilds {
  /** How the file names of each begin. */
  readonly wide: string
  readonly narrow: string
  /** Models that run the narrow one. */
  readonly narrowModels: ReadonlySet<string>
  /** The site's setting that replaces the list. */
  readonly narrowSetting: "arista_models_32bit"
}

/** File names of firmware images. */
export interface FirmwareNames {
  /** The version that a file name announces, as the first group. */
  readonly version: RegExp
  /** Null where one image serves all models. */
  readonly builds: ImageBuilds | null
}

export interface Platform<Name extends string = string> {
  /** As it stands in a device's record, in the names of template folders, and in settings. */
  readonly name: Name
  /** Who makes the devices, as their facts say it. */
  readonly vendor: string
  /** Null without a driver: devices of this platform are kept as inventory. */
  readonly capabilities: Capabilities | null
  /** Several devices may show one serial number: containers show that of the machine beneath. Left out: each has its own. */
  readonly sharesSerials?: true
  readonly interfaces: InterfaceNames
  readonly configuration: ConfigNotation
  /** Words and rules by which changes without a reviewer are judged; null: none is pushed without a person. */
  readonly autoPush: PlatformWords | null
  /** How much each kind of changed line counts in the score of a change. */
  readonly risk: ReadonlyArray<RiskRule>
  /** Null where nothing is known of its images. */
  readonly firmware: FirmwareNames | null
  /** Sources of regular expressions for what stands before a secret; the longer forms come first. */
  readonly secrets: ReadonlyArray<string>
  /**
   * Sources of regular expressions for what stands before a secret that devices show with another hash or obfuscation each
   * time it is given to them, from the first word of the line on. Such values cannot be compared.
   */
  readonly saltedSecrets: ReadonlyArray<string>
  readonly remarks: ReadonlyArray<DeviceRemark>
  /** A line that gives a user a login, without its indentation; the user is the first group. Null where it is not known. */
  readonly loginLine: RegExp | null
  /** Left out where nothing is known of it. */
  readonly shown?: ShownLines
  /** Left out for a platform without a driver. */
  readonly commands?: CommandWords
}

// What several platforms have in common: names and notation of the command lines that are written like Cisco's.

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

/** Sections by indentation, without inputs of several lines. */
export const indented: ConfigNotation = {
  sections: "indentation",
  comment: "!",
  // a comment that an author has written begins with two
  own: /^(?:\s*!(?!!)|end$)/,
  interfaceHeading: "interface {name}",
  multiLineInputs: []
}
