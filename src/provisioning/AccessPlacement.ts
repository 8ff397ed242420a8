/**
 * The place of an access switch in the network: its neighbours are as they must be and a management domain belongs to its
 * uplinks (docs/provisioning.md#neighbour-checks and docs/provisioning.md#choice-of-the-management-domain). The same rule
 * serves device_initcheck and step 1 of the initialisation.
 */
import { Result } from "effect"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { type DomainChoice, findMgmtDomain } from "./MgmtDomainChoice.ts"
import {
  accessNeighbours,
  type AccessSurvey,
  type NeighbourCheckError,
  type VerifiedNeighbours,
  type WithRefused
} from "./NeighbourChecks.ts"
import { orProblems } from "./Problems.ts"
import { InitVerificationError } from "./ProvisioningErrors.ts"

export interface AccessPlacement extends VerifiedNeighbours {
  /** Null when the request switched the checks off with an empty list of neighbours. */
  readonly domain: MgmtDomain | null
}

/** What was found of a place, and everything that speaks against it. */
export interface PlacementFindings extends AccessPlacement {
  readonly problems: ReadonlyArray<NeighbourCheckError>
}

const MOST_UPLINKS = 2

/** As `placeAccessSwitch`, but tells everything that speaks against the place. */
export const findAccessPlace = (survey: AccessSurvey & WithRefused, choice: DomainChoice): PlacementFindings => {
  const found = accessNeighbours(survey)
  const { length } = found.uplinks
  // with none or too many uplinks the lack of a domain would say the same again
  if (length === 0 || length > MOST_UPLINKS) return { ...found, domain: null }
  return Result.match(findMgmtDomain(found.uplinks, choice), {
    onSuccess: (domain) => ({ ...found, domain }),
    onFailure: ({ message }) => ({
      ...found,
      domain: null,
      problems: [...found.problems, new InitVerificationError({ message })]
    })
  })
}

/** Checks the neighbours and finds the management domain. A missing domain is an InitVerificationError with its own text. */
export const placeAccessSwitch = (
  survey: AccessSurvey,
  choice: DomainChoice
): Result.Result<AccessPlacement, NeighbourCheckError> => {
  const { problems, ...place } = findAccessPlace(survey, choice)
  return orProblems<AccessPlacement, NeighbourCheckError>(
    place,
    problems,
    (message) => new InitVerificationError({ message })
  )
}
