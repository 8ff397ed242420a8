/**
 * What no job pushes by itself: the form of the rules, and of the words that have to be known of a platform to apply them. Each
 * platform's record has its own; a commit of the templates may add rules (`auto_push.yml`) but take none away.
 */

/** True for a line without its indentation. */
export type LineTest = (text: string) => boolean

/** A kind of change that needs a person. All that it names has to hold for one changed line. */
export interface AutoPushRule {
  /** The name under which a refusal is recorded. */
  readonly name: string
  /** A sentence without a full stop. */
  readonly message: string
  readonly change: "added" | "removed" | "any"
  readonly line: LineTest
  /** One of the sections around the line; null where that does not matter. */
  readonly section: LineTest | null
  /** `management`: in a section by which the device is managed; `managementAcl`: about an access list that such a one uses. */
  readonly where: "anywhere" | "management" | "managementAcl"
  /** What belongs to a VLAN that the last port has left by an edit of this job does not count. */
  readonly exceptOrphans: boolean
}

/** The words of a platform. */
export interface PlatformWords {
  /** Lines that end in a list of VLANs: what stands before it, and the list. */
  readonly lists: RegExp
  /** Sections of ports, and the lines in them that use a VLAN, with its number. */
  readonly port: RegExp
  readonly portVlan: RegExp
  /** Lines that are about one VLAN, with its number. */
  readonly ofVlan: RegExp
  /** Sections of interfaces, and the lines in them that give an address, with the address. */
  readonly interfaces: RegExp
  readonly address: RegExp
  /** Sections by which any device of the platform is managed, beside the interface that has its address. */
  readonly management: RegExp
  /** Lines that use an access list, and those that define one, with its name. */
  readonly aclUse: RegExp
  readonly aclDefinition: RegExp
  readonly rules: ReadonlyArray<AutoPushRule>
}

/** A rule from its pattern; what is not given is any change anywhere. */
export const rule = (
  name: string,
  message: string,
  line: RegExp,
  more: Partial<Omit<AutoPushRule, "name" | "message" | "line" | "section">> & { readonly section?: RegExp } = {}
): AutoPushRule => {
  const { section, ...rest } = more
  return {
    name,
    message,
    change: "any",
    where: "anywhere",
    exceptOrphans: false,
    ...rest,
    line: (text) => line.test(text),
    section: section === undefined ? null : (text) => section.test(text)
  }
}
