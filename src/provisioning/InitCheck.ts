/**
 * The answer of device_initcheck (docs/provisioning.md#check-before): what was found about the links and the neighbours of a
 * switch, and whether it could be initialised. The checks that could not be done at all are errors of the request and do not
 * come here. Several problems of one kind are told in one text, separated by semicolons.
 */
import type { InitArguments } from "./InitArguments.ts"
import type { ReportedLink } from "./Links.ts"
import { told } from "./Problems.ts"

/** The `data` of the answer. */
export interface InitCheck {
  readonly linknets?: ReadonlyArray<ReportedLink>
  readonly linknets_compatible: boolean
  readonly linknets_error?: string
  readonly neighbors?: ReadonlyArray<string>
  readonly neighbors_compatible: boolean
  readonly neighbors_error?: string
  readonly mlag_compatible?: boolean
  /** Another device has the new hostname already. */
  readonly hostname_error?: string
  /** With replace_hostname: what the new unit has no ports for. */
  readonly replacement_lost?: ReplacementLost
  readonly parsed_args: InitArguments
  readonly compatible: boolean
}

/** Ports with rows of their own, and links, that a replacement would lose. */
export interface ReplacementLost {
  readonly interfaces: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
}

interface Reason {
  readonly message: string
}

export interface InitCheckSurvey {
  readonly args: InitArguments
  /** The links that there are or would be, and everything that speaks against links. */
  readonly links: { readonly links: ReadonlyArray<ReportedLink>; readonly problems: ReadonlyArray<Reason> }
  /** Hostnames of the neighbours, and everything that speaks against them, their management domain and its addresses. */
  readonly neighbours: { readonly neighbors: ReadonlyArray<string>; readonly problems: ReadonlyArray<Reason> }
  /** Present hostname of the MLAG peer; null without one. */
  readonly mlagPeerHostname: string | null
  /** What speaks against the new hostnames. */
  readonly hostnames?: ReadonlyArray<Reason>
  readonly lost?: ReplacementLost | null
}

const NO_LINKS = "No linknets found"

/** What speaks against the neighbours; null when nothing does. Without usable links there are none to speak of. */
const neighboursError = ({ args, links, neighbours }: InitCheckSurvey): string | null => {
  if (args.neighbors?.length === 0) return null
  if (neighbours.problems.length > 0) return told(neighbours.problems)
  return links.problems.length > 0 || links.links.length === 0 ? NO_LINKS : null
}

/** Puts the findings together. */
export const initCheck = (survey: InitCheckSurvey): InitCheck => {
  const { args, hostnames = [], links, lost = null, mlagPeerHostname } = survey
  const error = neighboursError(survey)
  const neighbors = args.neighbors?.length === 0 ? [] : survey.neighbours.neighbors
  const linksFit = links.problems.length === 0
  const mlag =
    mlagPeerHostname === null ? {} : { mlag_compatible: error === null && neighbors.includes(mlagPeerHostname) }
  return {
    ...(linksFit ? { linknets: links.links } : {}),
    linknets_compatible: linksFit,
    ...(linksFit ? {} : { linknets_error: told(links.problems) }),
    ...(error === null ? { neighbors } : {}),
    neighbors_compatible: error === null,
    ...(error === null ? {} : { neighbors_error: error }),
    ...mlag,
    ...(hostnames.length === 0 ? {} : { hostname_error: told(hostnames) }),
    ...(lost === null ? {} : { replacement_lost: lost }),
    parsed_args: args,
    compatible: linksFit && error === null && mlag.mlag_compatible !== false && hostnames.length === 0
  }
}
