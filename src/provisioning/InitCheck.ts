/**
 * The answer of device_initcheck (specification "device_initcheck", contract `engine.md` §5.17): what was found about the
 * links and the neighbours of a switch, and whether it could be initialised. The checks that could not be done at all are
 * errors of the request and do not come here.
 */
import { Result } from "effect"
import type { InitArguments } from "./InitArguments.ts"
import type { ReportedLink } from "./Links.ts"
import type { VerifiedNeighbours } from "./NeighbourChecks.ts"

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
  readonly links: Result.Result<ReadonlyArray<ReportedLink>, Reason>
  /** Only asked for when there are links; the check of the management domain is part of it. */
  readonly verifyNeighbours: (links: ReadonlyArray<ReportedLink>) => Result.Result<VerifiedNeighbours, Reason>
  /** Present hostname of the MLAG peer; null without one. */
  readonly mlagPeerHostname: string | null
  /** What speaks against the new hostnames; null when nothing does. */
  readonly hostnameError?: string | null
  readonly lost?: ReplacementLost | null
}

const neighboursOf = ({
  args,
  links,
  verifyNeighbours
}: InitCheckSurvey): Result.Result<ReadonlyArray<string>, Reason> => {
  if (args.neighbors?.length === 0) return Result.succeed([])
  if (Result.isFailure(links) || links.success.length === 0) return Result.fail({ message: "No linknets found" })
  return Result.map(verifyNeighbours(links.success), ({ neighbors }) => neighbors)
}

/** Puts the findings together. */
export const initCheck = (survey: InitCheckSurvey): InitCheck => {
  const { args, links, mlagPeerHostname } = survey
  const neighbours = neighboursOf(survey)
  const linksFit = Result.isSuccess(links)
  const neighboursFit = Result.isSuccess(neighbours)
  const mlag =
    mlagPeerHostname === null ? {} : { mlag_compatible: neighboursFit && neighbours.success.includes(mlagPeerHostname) }
  const { hostnameError = null, lost = null } = survey
  return {
    ...(linksFit ? { linknets: links.success } : {}),
    linknets_compatible: linksFit,
    ...(linksFit ? {} : { linknets_error: links.failure.message }),
    ...(neighboursFit ? { neighbors: neighbours.success } : {}),
    neighbors_compatible: neighboursFit,
    ...(neighboursFit ? {} : { neighbors_error: neighbours.failure.message }),
    ...mlag,
    ...(hostnameError === null ? {} : { hostname_error: hostnameError }),
    ...(lost === null ? {} : { replacement_lost: lost }),
    parsed_args: args,
    compatible: linksFit && neighboursFit && mlag.mlag_compatible !== false && hostnameError === null
  }
}
