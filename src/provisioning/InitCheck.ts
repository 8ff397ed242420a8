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
  readonly parsed_args: InitArguments
  readonly compatible: boolean
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
  return {
    ...(linksFit ? { linknets: links.success } : {}),
    linknets_compatible: linksFit,
    ...(linksFit ? {} : { linknets_error: links.failure.message }),
    ...(neighboursFit ? { neighbors: neighbours.success } : {}),
    neighbors_compatible: neighboursFit,
    ...(neighboursFit ? {} : { neighbors_error: neighbours.failure.message }),
    ...mlag,
    parsed_args: args,
    compatible: linksFit && neighboursFit && mlag.mlag_compatible !== false
  }
}
